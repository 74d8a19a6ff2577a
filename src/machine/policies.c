#include "machine/os.h"

const char *const page_policy_names[PAGES_COUNT + 1] = {
    [PAGES_AUTO] = "auto",     [PAGES_SMALL] = "small",   [PAGES_THP] = "thp",
    [PAGES_HUGE2M] = "huge2m", [PAGES_HUGE1G] = "huge1g",
};
