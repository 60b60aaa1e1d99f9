#ifndef CFILE_H
#define CFILE_H

#include <stddef.h>
#include <sys/types.h>
/* Which Swift sees here. */
#include <sys/xattr.h>

/* Calls of the system that Swift does not see. Those that return an int give -1, with errno set,
   when they fail. */

/* A variable of the environment; NULL also where the process has more rights than who started it. */
const char *CFile_environment(const char *name);
/* Starts a program with three pipes to it, in a process group of its own; nothing else that is open
   here is open there. With an open file as its input, unless that is below zero, the first pipe leads
   nowhere. 0, or the error number. */
int CFile_spawn(const char *path, char *const arguments[], char *const environment[], int input,
                int pipes[3], pid_t *child);
/* Limits a child's memory in bytes and its processor time in seconds. */
int CFile_limit(pid_t child, size_t memory, unsigned seconds);
/* A pipe that child processes do not inherit. */
int CFile_pipe(int ends[2]);

/* Takes up the numbers of standard streams that are closed, so that no file gets one and is taken for
   the stream. */
void CFile_fill_standard_streams(void);
/* What main was given; the strings stay where they are. */
void CFile_keep_arguments(int count, char **arguments);
int CFile_argument_count(void);
const char *CFile_argument(int index);

/* A file without a name in a folder (O_TMPFILE), open for reading and writing. */
int CFile_open_unnamed(const char *folder, mode_t mode);
/* A file without a name in memory. */
int CFile_open_memory(void);
/* Gives an open file a name that nobody has. */
int CFile_link(int descriptor, const char *name);
/* Renames unless there is something of the new name. */
int CFile_rename_to_new(const char *name, const char *target);

/* Has two names change places; EINVAL where the file system cannot. */
int CFile_exchange(const char *name, const char *other);

/* A closed pipe and a file that grows over its limit give errors, not signals; where memory is
   short, the message is written and the process ends with the status. */
void CFile_prepare_signals(const char *short_of_memory, int status);

#endif
