/* Streams in memory: temporary files whose text is read back when the stream is flushed or closed.
 */
#include <windows.h>

#include <io.h>

#undef fflush
#undef fclose
#undef free

enum { STREAMS = 64 };

static struct memory_stream {
    FILE *stream; /* NULL: a free place */
    char **text;  /* of open_memstream() */
    size_t *size;
    char *buffer; /* of fmemopen() for writing */
    size_t room;
} streams[STREAMS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Windows writes a short-lived file to a disk only where memory is short. */
static FILE *temporary(void)
{
    char folder[MAX_PATH], name[MAX_PATH];
    if (!GetTempPathA(MAX_PATH, folder) || !GetTempFileNameA(folder, "fat", 0, name))
        return NULL;
    return fopen(name, "w+bTD");
}

/* Keeps what is known of the stream, for when it is closed; NULL, and the stream closed, where no
 * place is free. */
static FILE *keep(struct memory_stream kept)
{
    pthread_mutex_lock(&lock);
    struct memory_stream *place = NULL;
    for (size_t i = 0; i < STREAMS && !place; i++)
        place = streams[i].stream ? NULL : &streams[i];
    if (place)
        *place = kept;
    pthread_mutex_unlock(&lock);
    if (!place && kept.stream)
        fclose(kept.stream);
    return place ? kept.stream : NULL;
}

static struct memory_stream *find(FILE *stream)
{
    struct memory_stream *found = NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < STREAMS && stream && !found; i++)
        found = streams[i].stream == stream ? &streams[i] : NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

FILE *open_memstream(char **text, size_t *size)
{
    *text = NULL;
    *size = 0;
    FILE *stream = temporary();
    return stream ? keep((struct memory_stream){.stream = stream, .text = text, .size = size})
                  : NULL;
}

FILE *fmemopen(void *buffer, size_t size, const char *mode)
{
    FILE *stream = temporary();
    if (!stream)
        return NULL;
    if (*mode == 'w')
        return keep((struct memory_stream){.stream = stream, .buffer = buffer, .room = size});
    if (fwrite(buffer, 1, size, stream) == size && fflush(stream) == 0) {
        rewind(stream);
        return stream;
    }
    fclose(stream);
    return NULL;
}

/* Copies the stream's text to where its opener looks for it; EOF where there is no memory or no
 * room for it. */
static int tell(const struct memory_stream *kept)
{
    const long bytes = ftell(kept->stream);
    const size_t size = bytes < 0 ? 0 : (size_t)bytes;
    char *text = kept->text ? realloc(*kept->text, size + 1) : kept->buffer;
    if (bytes < 0 || !text || (!kept->text && size >= kept->room))
        return EOF;
    rewind(kept->stream);
    const bool whole = fread(text, 1, size, kept->stream) == size;
    fseek(kept->stream, bytes, SEEK_SET);
    text[size] = '\0';
    if (kept->text) {
        *kept->text = text;
        *kept->size = size;
    }
    return whole ? 0 : EOF;
}

/* A pipe whose reader has gone ends the program, as SIGPIPE does. */
static void end_without_reader(FILE *stream)
{
    enum { AS_BY_SIGPIPE = 141 };
    if (stream == stdout && ferror(stream) &&
        GetFileType((HANDLE)_get_osfhandle(_fileno(stream))) == FILE_TYPE_PIPE)
        _exit(AS_BY_SIGPIPE);
}

int posix_fflush(FILE *stream)
{
    const struct memory_stream *kept = find(stream);
    const int code = fflush(stream);
    end_without_reader(stream);
    return code == 0 && kept ? tell(kept) : code;
}

int posix_fclose(FILE *stream)
{
    struct memory_stream *kept = find(stream);
    const int told = kept ? posix_fflush(stream) : 0;
    if (kept) {
        pthread_mutex_lock(&lock);
        kept->stream = NULL;
        pthread_mutex_unlock(&lock);
    }
    const int code = fclose(stream);
    return told ? told : code;
}
