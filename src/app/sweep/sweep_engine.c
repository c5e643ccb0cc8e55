/* sweep_engine.c: engines that start the cases of a sweep: own processes, GNU parallel, Slurm, or Snakemake. */
#include "sweep/sweep.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char *name, *program, *package; /* NULL: nothing is needed */
} engines[] = {
    {"local", NULL, NULL},
    {"parallel", "parallel", "parallel"},
    {"slurm", "sbatch", "slurm-client"},
    {"snakemake", "snakemake", "snakemake"},
    {"none", NULL, NULL},
};
enum { ENGINE_COUNT = sizeof engines / sizeof *engines };
static const int64_t MOST_TASKS = 1000; /* of an array job; Slurm's MaxArraySize is 1001 unless it is configured */

static volatile sig_atomic_t signalled;

static void on_signal(int signal) {
    signalled = signal;
}

bool app_sweep_stopped(void) {
    return signalled != 0;
}

bool app_engine_check(const char *name) {
    const char *names[ENGINE_COUNT + 1] = {0};
    for (int k = 0; k < ENGINE_COUNT; k++) {
        if (strcmp(engines[k].name, name) == 0) return true;
        names[k] = engines[k].name;
    }
    const char *nearest = mus_lua_nearest(name, names);
    app_error("option '--engine': unknown engine '%s'%s%s%s; there are local, parallel, slurm, snakemake and none",
              name, nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "");
    return false;
}

/* moreutils has another program of that name. */
static bool is_gnu_parallel(void) {
    FILE *pipe = popen("parallel --version 2>/dev/null", "re");
    char line[64] = "";
    if (!pipe) return false;
    bool gnu = fgets(line, sizeof line, pipe) && strncmp(line, "GNU parallel", 12) == 0;
    while (fgets(line, sizeof line, pipe)) continue;
    pclose(pipe);
    return gnu;
}

bool app_engine_there(const char *name) {
    for (int k = 0; name && k < ENGINE_COUNT; k++) {
        if (strcmp(engines[k].name, name) != 0 || !engines[k].program) continue;
        if (app_in_path(engines[k].program) && (strcmp(name, "parallel") != 0 || is_gnu_parallel())) return true;
        app_error("option '--engine': '%s' needs the program %s%s, which is not in PATH (Debian package: %s); "
                  "--engine local needs no other program",
                  name, strcmp(name, "parallel") == 0 ? "GNU " : "", engines[k].program, engines[k].package);
        return false;
    }
    return true;
}

/* ---- Files that the engines read --------------------------------------------------------------------------------- */

/* In single quotes for a shell. */
static void put_quoted(FILE *out, const char *text) {
    fputc('\'', out);
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
    fputc('\'', out);
}

/* Closes a stream of open_memstream and writes its contents to a file. */
static bool write_stream(FILE *out, char **text, const size_t *size, const char *folder, const char *name) {
    bool ok = out && fclose(out) == 0;
    char *path = app_format("%s/%s", folder, name);
    if (!ok || !path)
        app_error("no memory for '%s'", name);
    else if (!(ok = app_write_file(path, *text, *size) == MUS_STATUS_OK))
        app_error("%s", mus_get_error_message());
    free(path);
    free(*text);
    return ok;
}

/* A path of the sweep's command line, made absolute. */
static void put_granted(FILE *out, const char *here, const char *path) {
    if (!*path) return;
    char *whole = *path == '/' ? strdup(path) : app_format("%s/%s", here, path);
    fputc(' ', out);
    put_quoted(out, whole ? whole : path);
    free(whole);
}

/* The words after --: files named on the sweep's own command line, as words or after an = in them. */
static void put_grants(FILE *out, const app_options *options) {
    char *here = options->script_arg_count > 0 ? getcwd(NULL, 0) : NULL;
    if (!here) return;
    fputs(" --", out);
    for (int k = 0; k < options->script_arg_count; k++) {
        const char *word = options->script_args[k], *equals = strchr(word, '=');
        put_granted(out, here, word);
        if (equals) put_granted(out, here, equals + 1);
    }
    free(here);
}

/* case.sh K runs case K, for every engine. */
static bool write_case_script(const app_sweep_work *s) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        fputs("#!/bin/sh\n# case.sh K: runs case K of cases.jsonl into runs/K; complete cases are skipped.\ncd ", out);
        put_quoted(out, s->folder);
        fputs(" && mkdir -p \"runs/$1\" && exec ", out);
        put_quoted(out, s->program);
        fprintf(out, " run --case \"cases.jsonl:$1\" --out \"runs/$1\" --quiet%s",
                s->options->trusted ? " --trusted" : "");
        put_grants(out, s->options);
        fputs(" >>\"runs/$1/output.txt\" 2>&1\n", out);
    }
    return write_stream(out, &text, &size, s->folder, "case.sh");
}

static bool write_todo(const app_sweep_work *s) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (int64_t k = 0; out && k < s->todo_count; k++) fprintf(out, "%lld\n", (long long)s->todo[k]);
    return write_stream(out, &text, &size, s->folder, "todo.txt");
}

/* ---- Processes --------------------------------------------------------------------------------------------------- */

static pid_t start_process(char *const argv[], const char *input, bool quiet) {
    fflush(NULL);
    pid_t parent = getpid(), pid = fork();
    if (pid != 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(APP_ERROR); /* it ended before the line above */
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    if (!freopen(input ? input : "/dev/null", "r", stdin)) _exit(APP_ERROR);
    if (quiet && !freopen("/dev/null", "w", stderr)) _exit(APP_ERROR);
    dup2(STDERR_FILENO, STDOUT_FILENO); /* standard output is for results */
    execvp(argv[0], argv);
    _exit(127);
}

/* Waits for any child, or for one; forwards a signal as one at which runs save a checkpoint. */
static pid_t wait_child(pid_t which, const pid_t *all, int count, int *status) {
    bool reported = false;
    for (;;) {
        if (signalled && !reported) {
            for (int k = 0; k < count; k++)
                if (all[k] > 0) kill(all[k], SIGTERM);
            reported = true;
        }
        pid_t pid = waitpid(which, status, 0);
        if (pid >= 0 || errno != EINTR) return pid;
    }
}

static bool no_process(const char *what) {
    app_error("no process for %s: %s", what, strerror(errno));
    return false;
}

static int jobs_of(const app_sweep_work *s) {
    int jobs = s->options->jobs > 0 ? s->options->jobs : (int)sysconf(_SC_NPROCESSORS_ONLN);
    return jobs > s->todo_count ? (int)s->todo_count : jobs > 0 ? jobs : 1;
}

static bool run_local(const app_sweep_work *s) {
    int jobs = jobs_of(s), running = 0;
    pid_t *processes = calloc((size_t)jobs + 1, sizeof *processes);
    char *script = app_format("%s/case.sh", s->folder);
    bool ok = processes && script;
    app_progress progress;
    app_progress_start(&progress, "sweep", s->options->quiet);
    for (int64_t next = 0, done = 0; running > 0 || (ok && !signalled && next < s->todo_count);) {
        for (int k = 0; ok && !signalled && k < jobs && next < s->todo_count; k++) {
            if (processes[k] > 0) continue;
            char number[24];
            snprintf(number, sizeof number, "%lld", (long long)s->todo[next]);
            char *argv[] = {"sh", script, number, NULL};
            processes[k] = start_process(argv, NULL, false);
            if (processes[k] < 0) ok = no_process("a case");
            running += processes[k] > 0, next++;
        }
        if (running == 0) break;
        int status;
        pid_t ended = wait_child(-1, processes, jobs, &status);
        if (ended < 0) ok = no_process("a case"), running = 0;
        for (int k = 0; k < jobs; k++)
            if (ended > 0 && processes[k] == ended) processes[k] = 0, running--, done++;
        app_progress_update(&progress, done, s->todo_count, "cases");
    }
    app_progress_end(&progress);
    free(processes);
    free(script);
    return ok;
}

/* Runs one program to its end. Its exit code is ambiguous about failed cases, so the manifests are used.
 */
static bool run_program(char *const argv[], const char *input, bool quiet) {
    pid_t pid = start_process(argv, input, quiet);
    int status = 0;
    if (pid < 0 || wait_child(pid, &pid, 1, &status) < 0) return no_process(argv[0]);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        app_error("%s could not be started", argv[0]);
        return false;
    }
    return true;
}

static bool run_parallel(const app_sweep_work *s) {
    char jobs[16], *todo = app_format("%s/todo.txt", s->folder), *text = NULL;
    size_t size = 0;
    FILE *command = open_memstream(&text, &size);
    if (command) {
        fputs("sh ", command);
        put_quoted(command, s->folder);
        fputs("/case.sh", command);
    }
    bool ok = command && fclose(command) == 0 && todo;
    snprintf(jobs, sizeof jobs, "%d", jobs_of(s));
    char *argv[] = {"parallel", "--will-cite", "--halt", "never", "--jobs", jobs, text, NULL};
    ok = ok && run_program(argv, todo, s->options->quiet);
    free(todo);
    free(text);
    return ok;
}

/* An array job; a task takes every A-th case where there are more than A. sbatch waits for its end. */
static bool run_slurm(const app_sweep_work *s) {
    int64_t tasks = s->todo_count < MOST_TASKS ? s->todo_count : MOST_TASKS;
    char *text = NULL, limit[24] = "";
    size_t size = 0;
    if (s->options->jobs > 0) snprintf(limit, sizeof limit, "%%%d", s->options->jobs);
    FILE *out = open_memstream(&text, &size);
    if (out) {
        fprintf(
            out,
            "#!/bin/sh\n#SBATCH --job-name=muslin\n#SBATCH --array=1-%lld%s\n#SBATCH --ntasks=1\n"
            "#SBATCH --cpus-per-task=%d\n#SBATCH --output=/dev/null\n#SBATCH --error=/dev/null\n"
            "# Partition, account and limits: SBATCH_PARTITION, SBATCH_ACCOUNT, SBATCH_TIMELIMIT in the environment.\n"
            "status=0\nfor k in $(sed -n \"$SLURM_ARRAY_TASK_ID~%lldp\" ",
            (long long)tasks, limit, s->threads, (long long)tasks);
        put_quoted(out, s->folder);
        fputs("/todo.txt); do\n  sh ", out);
        put_quoted(out, s->folder);
        fputs("/case.sh \"$k\" || status=$?\ndone\nexit $status\n", out);
    }
    if (!write_stream(out, &text, &size, s->folder, "sweep.sbatch")) return false;
    char *script = app_format("%s/sweep.sbatch", s->folder), *id = app_format("%s/job.txt", s->folder), job[32] = "";
    char *argv[] = {"sh", "-c", "sbatch --parsable --wait \"$0\" >\"$1\"", script, id, NULL};
    bool ok = script && id && run_program(argv, NULL, false);
    FILE *reported = ok ? fopen(id, "r") : NULL;
    if (reported && fgets(job, sizeof job, reported)) job[strcspn(job, "\n;")] = '\0';
    if (reported) fclose(reported);
    if (ok && !*job) {
        app_error("sbatch accepted no job; its message is above");
        ok = false;
    }
    if (ok && signalled) app_error("job %s continues under Slurm; scancel %s ends it", job, job);
    free(script);
    free(id);
    return ok;
}

/* A Snakefile of one rule. Its marks are for this call only: the manifests show which cases are complete. */
static bool run_snakemake(const app_sweep_work *s) {
    static const char SNAKEFILE[] = "# One rule per case; todo.txt lists the numbers of those that are not complete.\n"
                                    "todo = open(\"todo.txt\").read().split()\n\n"
                                    "rule all:\n    input: expand(\"runs/{k}/done\", k=todo)\n\n"
                                    "rule case:\n    output: touch(\"runs/{k}/done\")\n    threads: %d\n"
                                    "    shell: \"sh case.sh {wildcards.k}\"\n";
    char *text = app_format(SNAKEFILE, s->threads), *path = app_format("%s/Snakefile", s->folder), cores[16];
    snprintf(cores, sizeof cores, "%d", jobs_of(s) * s->threads);
    bool ok = text && path;
    if (ok && !(ok = app_write_file(path, text, strlen(text)) == MUS_STATUS_OK))
        app_error("%s", mus_get_error_message());
    for (int64_t k = 0; ok && k < s->todo_count; k++) {
        char *mark = app_format("%s/runs/%lld/done", s->folder, (long long)s->todo[k]);
        if (mark) unlink(mark);
        free(mark);
    }
    char *argv[] = {"snakemake",
                    "--snakefile",
                    path,
                    "--directory",
                    s->folder,
                    "--cores",
                    cores,
                    "--nolock",
                    "--keep-going",
                    "--rerun-incomplete",
                    s->options->quiet ? "--quiet" : NULL,
                    NULL};
    ok = ok && run_program(argv, NULL, s->options->quiet);
    free(text);
    free(path);
    return ok;
}

bool app_engine_run(app_sweep_work *s) {
    const char *name = s->options->engine ? s->options->engine : "local";
    if (!write_case_script(s)) return false;
    if (s->todo_count == 0 || strcmp(name, "none") == 0) return true;
    struct sigaction action = {.sa_handler = on_signal}; /* without SA_RESTART: waitpid returns */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (strcmp(name, "local") == 0) return run_local(s);
    if (!write_todo(s)) return false;
    if (strcmp(name, "parallel") == 0) return run_parallel(s);
    return strcmp(name, "slurm") == 0 ? run_slurm(s) : run_snakemake(s);
}
