#pragma once

enum { CODESET };
/* The console's and the files' encoding (console.c). */
#define nl_langinfo(item) ((void)(item), "UTF-8")
