// Names of system calls, by what a confined program may do with them. A name that the machine's libseccomp does not know is skipped.
#pragma once

#include <array>
#include <string_view>

namespace kernel_audit::sandbox {

// Refused to everyone.
inline constexpr std::string_view kDangers[] = {
    // the network
    "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto", "recvfrom", "sendmsg", "recvmsg", "sendmmsg",
    "recvmmsg", "setsockopt", "getsockopt", "getsockname", "getpeername", "shutdown",
    // other processes
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "kcmp", "kill", "tkill", "rt_sigqueueinfo",
    "rt_tgsigqueueinfo", "pidfd_open", "pidfd_getfd", "pidfd_send_signal", "setsid", "setpgid", "migrate_pages", "move_pages",
    // namespaces, mounts, roots
    "unshare", "setns", "mount", "umount", "umount2", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr",
    "pivot_root", "chroot", "quotactl", "quotactl_fd",
    // the kernel as a whole
    "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "io_setup", "io_submit", "keyctl",
    "add_key", "request_key", "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff",
    "sethostname", "setdomainname", "settimeofday", "clock_settime", "clock_settime64", "stime", "adjtimex", "clock_adjtime", "iopl",
    "ioperm", "acct", "syslog", "vhangup", "personality", "modify_ldt", "lookup_dcookie", "nfsservctl", "uselib", "ustat", "sysfs", "_sysctl",
    "set_mempolicy", "mbind", "seccomp", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self",
    // files around the path rules
    "open_by_handle_at", "name_to_handle_at", "fanotify_init", "fanotify_mark", "truncate", "truncate64", "chown", "lchown", "fchown",
    "fchownat", "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr", "setxattrat", "removexattrat",
    "mknod", "mknodat", "memfd_secret",
    // memory and messages shared with strangers
    "shmget", "shmat", "shmctl", "shmdt", "msgget", "msgsnd", "msgrcv", "msgctl", "semget", "semop", "semctl", "semtimedop", "mq_open",
    "mq_unlink",
    // identity and priority
    "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups", "setfsuid", "setfsgid", "capset", "setpriority",
    "sched_setscheduler", "sched_setparam", "sched_setattr", "ioprio_set"};

// Refused to a program that must stay one process.
inline constexpr std::string_view kProcessDangers[] = {
    "fork", "vfork", "execveat", "setrlimit", "chmod", "fchmod", "fchmodat", "fchmodat2", "utime", "utimes", "utimensat", "futimesat",
    "memfd_create", "inotify_init", "inotify_init1", "splice", "tee", "vmsplice", "timer_create", "alarm", "setitimer"};

// What a single process needs to trace a kernel with the C++ library, threads included.
inline constexpr std::string_view kHarmless[] = {
    // descriptors and files, inside the path rules
    "read", "write", "readv", "writev", "pread64", "pwrite64", "lseek", "_llseek", "close", "close_range", "fcntl", "fcntl64", "dup", "dup2",
    "dup3", "pipe", "pipe2", "poll", "ppoll", "select", "pselect6", "stat", "fstat", "lstat", "stat64", "fstat64", "lstat64", "newfstatat",
    "fstatat64", "statx", "statfs", "fstatfs", "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getcwd", "chdir", "getdents",
    "getdents64", "ftruncate", "fsync", "fdatasync", "unlink", "unlinkat", "mkdir", "mkdirat", "rmdir", "rename", "renameat", "renameat2",
    "umask", "fadvise64", "fallocate",
    // memory
    "mmap", "mmap2", "mprotect", "munmap", "mremap", "madvise", "brk", "mincore", "msync",
    // signals to oneself
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigsuspend", "rt_sigtimedwait", "sigaltstack", "pause",
    "restart_syscall",
    // threads and time
    "futex", "set_robust_list", "get_robust_list", "set_tid_address", "rseq", "membarrier", "sched_yield", "sched_getaffinity", "nanosleep",
    "clock_nanosleep", "clock_gettime", "clock_getres", "gettimeofday", "time", "times", "getrusage", "getrlimit", "ugetrlimit", "getcpu",
    // who and where
    "getpid", "gettid", "getppid", "getpgrp", "getpgid", "getsid", "getuid", "geteuid", "getgid", "getegid", "getresuid", "getresgid",
    "getgroups", "uname", "sysinfo", "getrandom", "arch_prctl", "wait4", "waitid",
    // the end
    "exit", "exit_group"};

}  // namespace kernel_audit::sandbox
