/* Makes chosen calls of the C library fail. Loaded with LD_PRELOAD by tests/attack/faults.
 *
 * FAULTS   NAME:N:WHAT, separated by commas: call number N of NAME, counted from 1, with `+` behind it all from there on.
 *          NAME is that of a call below, or `*` for all of them, counted together. WHAT is an errno, `kill` (SIGKILL instead
 *          of the call), `short` (half of the bytes) or `zero` (none); the latter two only for writes and reads.
 * FAULTS_LOG  file that gets a line for each call: its number and its name.
 *
 * The calls are those with which the command changes files, reads, and starts threads.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MOST = 8, KILL = -1, SHORT = -2, ZERO = -3 };

struct fault {
    char name[24];
    long number;
    int and_later;
    int what;
    atomic_long count;
};

static struct fault faults[MOST];
static int fault_count;
static atomic_long total;
static int log_fd = -1;

__attribute__((constructor)) static void begin(void) {
    const char *log = getenv("FAULTS_LOG");
    if (log) log_fd = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const char *text = getenv("FAULTS");
    while (text && *text && fault_count < MOST) {
        struct fault *fault = &faults[fault_count];
        char what[16] = "", number[16] = "";
        if (sscanf(text, "%23[^:]:%15[^:]:%15[^,]", fault->name, number, what) != 3) abort();
        fault->number = atol(number);
        fault->and_later = strchr(number, '+') != NULL;
        fault->what = !strcmp(what, "kill") ? KILL : !strcmp(what, "short") ? SHORT : !strcmp(what, "zero") ? ZERO : atoi(what);
        fault_count++;
        text = strchr(text, ',');
        if (text) text++;
    }
}

/* What is to happen instead of a call: 0, an errno, SHORT or ZERO. */
static int fault(const char *name) {
    long number = atomic_fetch_add(&total, 1) + 1;
    if (log_fd >= 0) {
        char line[64];
        int length = snprintf(line, sizeof line, "%ld %s\n", number, name);
        syscall(SYS_write, log_fd, line, length);
    }
    for (int i = 0; i < fault_count; i++) {
        struct fault *f = &faults[i];
        long n = number;
        if (strcmp(f->name, "*")) {
            if (strcmp(f->name, name)) continue;
            n = atomic_fetch_add(&f->count, 1) + 1;
        }
        if (n != f->number && !(f->and_later && n > f->number)) continue;
        if (f->what == KILL) {
            raise(SIGKILL);
            for (;;) pause();
        }
        return f->what;
    }
    return 0;
}

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))
#define FAIL(name)                     \
    do {                               \
        int what = fault(#name);       \
        if (what > 0) {                \
            errno = what;              \
            return -1;                 \
        }                              \
    } while (0)

#define PLAIN(type, name, params, args) \
    type name params {                  \
        FAIL(name);                     \
        return REAL(name) args;         \
    }

PLAIN(int, fsync, (int fd), (fd))
PLAIN(int, fdatasync, (int fd), (fd))
PLAIN(int, rename, (const char *from, const char *to), (from, to))
PLAIN(int, renameat2, (int a, const char *from, int b, const char *to, unsigned flags), (a, from, b, to, flags))
PLAIN(int, unlink, (const char *path), (path))
PLAIN(int, unlinkat, (int dir, const char *path, int flags), (dir, path, flags))
PLAIN(int, rmdir, (const char *path), (path))
PLAIN(int, mkdir, (const char *path, mode_t mode), (path, mode))
PLAIN(int, chmod, (const char *path, mode_t mode), (path, mode))
PLAIN(int, fchmod, (int fd, mode_t mode), (fd, mode))
PLAIN(int, linkat, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags))
PLAIN(int, ftruncate64, (int fd, off64_t size), (fd, size))
PLAIN(int, flock, (int fd, int how), (fd, how))

#define OPEN(name)                                                          \
    int name(const char *path, int flags, ...) {                            \
        mode_t mode = 0;                                                    \
        if (flags & (O_CREAT | O_TMPFILE)) {                                \
            va_list rest;                                                   \
            va_start(rest, flags);                                          \
            mode = va_arg(rest, mode_t);                                    \
            va_end(rest);                                                   \
        }                                                                   \
        FAIL(name);                                                         \
        return REAL(name)(path, flags, mode);                               \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                        \
    int name(int dir, const char *path, int flags, ...) {                   \
        mode_t mode = 0;                                                    \
        if (flags & (O_CREAT | O_TMPFILE)) {                                \
            va_list rest;                                                   \
            va_start(rest, flags);                                          \
            mode = va_arg(rest, mode_t);                                    \
            va_end(rest);                                                   \
        }                                                                   \
        FAIL(name);                                                         \
        return REAL(name)(dir, path, flags, mode);                          \
    }
OPENAT(openat)
OPENAT(openat64)

/* Returns its error. */
int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *), void *of) {
    int what = fault("pthread_create");
    return what > 0 ? what : REAL(pthread_create)(thread, how, start, of);
}

/* Standard streams are not counted: what is said is not what is done. */
#define MOVE(name, params, fd, size, args, half)                            \
    ssize_t name params {                                                   \
        int what = fd <= 2 ? 0 : fault(#name);                              \
        if (what > 0) {                                                     \
            errno = what;                                                   \
            return -1;                                                      \
        }                                                                   \
        if (what == ZERO) return 0;                                         \
        if (what == SHORT && size > 1) return REAL(name) half;              \
        return REAL(name) args;                                             \
    }
MOVE(write, (int fd, const void *data, size_t size), fd, size, (fd, data, size), (fd, data, size / 2))
MOVE(read, (int fd, void *data, size_t size), fd, size, (fd, data, size), (fd, data, size / 2))
MOVE(pread64, (int fd, void *data, size_t size, off64_t at), fd, size, (fd, data, size, at), (fd, data, size / 2, at))
MOVE(pwrite64, (int fd, const void *data, size_t size, off64_t at), fd, size, (fd, data, size, at), (fd, data, size / 2, at))
MOVE(writev, (int fd, const struct iovec *data, int count), fd, count, (fd, data, count), (fd, data, count / 2))
