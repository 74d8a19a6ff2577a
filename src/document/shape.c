#include "document/shape.h"

#include "document/document.h"

#include <limits.h>

#include "shape.fields.h"

const struct field factor_list = {.kind = FIELD_VALUES,
                                  .key = "",
                                  .offset = offsetof(struct factor, list),
                                  .count_offset = offsetof(struct factor, list_count)};
