// deny_syscalls ERRNO NAME[,NAME…] -- COMMAND [ARGUMENT…]
//
// Runs COMMAND where the named system calls return ERRNO, as under a container's seccomp profile or
// a hardened kernel. The filter is inherited by every child.

#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
  const char* name;
  unsigned number;
} kCalls[] = {
    {"io_uring_setup", SYS_io_uring_setup},
    {"io_uring_register", SYS_io_uring_register},
    {"io_setup", SYS_io_setup},
    {"io_submit", SYS_io_submit},
    {"fallocate", SYS_fallocate},
    {"statx", SYS_statx},
    {"openat2", SYS_openat2},
    {"pidfd_open", SYS_pidfd_open},
    {"close_range", SYS_close_range},
    {"fsetxattr", SYS_fsetxattr},
};

static void usage(const char* what) {
  fprintf(stderr, "deny_syscalls: %s; as in: deny_syscalls EPERM io_setup -- COMMAND\n", what);
  exit(125);
}

static unsigned errno_of(const char* name) {
  for (unsigned code = 1; code < 4096; ++code) {
    const char* known = strerrorname_np((int)code);
    if (known != NULL && strcmp(known, name) == 0) return code;
  }
  usage("no such errno");
  return 0;
}

static unsigned number_of(const char* name) {
  for (size_t i = 0; i < COUNT(kCalls); ++i) {
    if (strcmp(kCalls[i].name, name) == 0) return kCalls[i].number;
  }
  usage("no such system call in its table");
  return 0;
}

int main(int argc, char* argv[]) {
  if (argc < 5 || strcmp(argv[3], "--") != 0) usage("arguments are missing");
  const unsigned code = errno_of(argv[1]);
  struct sock_filter filter[2 * COUNT(kCalls) + 2];
  unsigned short length = 0;
  filter[length++] =
      (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  char* names = argv[2];
  for (char* name = strtok(names, ","); name != NULL; name = strtok(NULL, ",")) {
    if (length + 3U > COUNT(filter)) usage("too many system calls");
    filter[length++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number_of(name), 0, 1);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | code);
  }
  filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const struct sock_fprog program = {.len = length, .filter = filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    perror("deny_syscalls: the filter could not be installed");
    return 125;
  }
  execvp(argv[4], &argv[4]);
  perror(argv[4]);
  return 127;
}
