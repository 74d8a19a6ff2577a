/* A program that links libfathom.a and has functions of its own by the names of fathom's inner
 * ones. */
#include <fathom.h>
#include <stdio.h>
#include <string.h>

double median(const double *, int);
int error_set(int);
int document_read(void);
int ring_build(void);

double median(const double *values, int n)
{
    return values[n / 2];
}

int error_set(int code)
{
    return code;
}

int document_read(void)
{
    return 11;
}

int ring_build(void)
{
    return 12;
}

int main(void)
{
    const double values[] = {1, 2, 3};
    struct fathom_error error;
    struct fathom_document *document = NULL;
    const int code = fathom_read("/nowhere.json", &document, &error);
    const int own =
        median(values, 3) == 2 && error_set(3) == 3 && document_read() == 11 && ring_build() == 12;
    printf("1..2\n%sok 1 - the program's own functions are called\n%sok 2 - and the library's own "
           "(%s)\n",
           own ? "" : "not ",
           code == FATHOM_USAGE && strstr(error.text, "/nowhere.json") ? "" : "not ", error.text);
    return 0;
}
