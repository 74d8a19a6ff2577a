/* Drivers' libraries have other names here, and none was tried: no GPU is found. */
#pragma once

enum { RTLD_NOW = 1, RTLD_LAZY = 2, RTLD_LOCAL = 4, RTLD_NOLOAD = 8, RTLD_NODELETE = 16 };
#define dlopen(name, flags)  ((void)(name), (void)(flags), (void *)NULL)
#define dlsym(library, name) ((void)(library), (void)(name), (void *)NULL)
#define dlclose(library)     ((void)(library), 0)
#define dlerror()            "GPUs are not looked for on Windows"
