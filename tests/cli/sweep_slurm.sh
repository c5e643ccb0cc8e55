#!/bin/bash
# `muslin sweep --engine slurm` on a cluster of one node: this machine, with daemons of its own that end with the test.
. "$(dirname "$0")/tap.bash"
for program in sbatch slurmctld slurmd munged mungekey; do
    PATH=$PATH:/usr/sbin:/sbin command -v $program >/dev/null || { echo "1..0 # SKIP $program is not installed (slurm-wlm, munge)"; exit 0; }
done
PATH=$PATH:/usr/sbin:/sbin
host=$(hostname -s)
mkdir -m 755 "$work/slurm" && mkdir -m 700 "$work/slurm/munge" "$work/slurm/state" "$work/slurm/spool"
chmod 755 "$work"
daemons=()
finish() {
    local pid
    for pid in "${daemons[@]}"; do kill "$pid" 2>/dev/null; done
    for pid in "${daemons[@]}"; do wait "$pid" 2>/dev/null; done
    chmod -R u+rwx "$work"
    rm -rf "$work"
}
trap finish EXIT
port=$((20000 + $$ % 20000))
cat >"$work/slurm/slurm.conf" <<C
ClusterName=loopback
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$work/slurm/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$work/slurm/state
SlurmdSpoolDir=$work/slurm/spool
SlurmctldPidFile=$work/slurm/slurmctld.pid
SlurmdPidFile=$work/slurm/slurmd.pid
SchedulerParameters=sched_interval=1,batch_sched_delay=1
MpiDefault=none
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=10 State=UP
C
export SLURM_CONF=$work/slurm/slurm.conf
mungekey --create --keyfile "$work/slurm/munge/key" 2>/dev/null
munged --foreground --force --socket="$work/slurm/munge.socket" --key-file="$work/slurm/munge/key" --num-threads=1 \
    --log-file="$work/slurm/munge/log" --pid-file="$work/slurm/munge/pid" --seed-file="$work/slurm/munge/seed" >/dev/null 2>&1 &
daemons+=($!)
for ((k = 0; k < 100; k++)); do [ -S "$work/slurm/munge.socket" ] && break; sleep 0.1; done
slurmctld -D >"$work/slurm/ctld.log" 2>&1 &
daemons+=($!)
slurmd -D -N "$host" >"$work/slurm/d.log" 2>&1 &
daemons+=($!)
for ((k = 0; k < 200; k++)); do sinfo -h -o %T 2>/dev/null | grep -q idle && break; sleep 0.1; done
if ! sinfo -h -o %T 2>/dev/null | grep -q idle; then
    echo "1..0 # SKIP Slurm's daemons do not start here: $(tail -n 1 "$work/slurm/ctld.log" "$work/slurm/d.log" | tr '\n' ' ')"
    exit 0
fi

cat >"$work/fall.lua" <<'L'
local muslin = require "muslin"
local options = muslin.arguments { height = 1, ends = "well" }
local world = muslin.world { duration = 0.1 }
world:cloth { mesh = muslin.mesh.grid { nodes = {4, 4}, center = {0, options.height, 0} } }
world:on("done", function() if options.ends == "badly" then expect(1):equals(2) end end)
return world
L
echo 'return {scene = "fall.lua", list = {{height = 1}, {height = 2}, {ends = "badly"}}}' >"$work/plan.lua"
run sweep "$work/plan.lua" --out "$work/sweep" --engine slurm --jobs 2
exits 1 "three cases as an array job, one of which fails its check"
prints out '3 cases: 2 finished, 1 checks failed, 0 not complete' "all are complete when the command returns"
"$muslin" run --case "$work/sweep/cases.jsonl:2" --out "$work/alone" --quiet && cmp -s "$work/alone/frame_000006.obj" "$work/sweep/runs/2/frame_000006.obj"
ok $? "a case gives what it gives without Slurm"
prints err '^[^0-9]*case 3 ' "the case that failed is reported"
run sweep "$work/plan.lua" --out "$work/sweep" --engine slurm
[ "$code" = 1 ] && [[ $out == *"0 were run now"* ]]
ok $? "again: there is no job to make" "$(state)"
SLURM_CONF=/dev/null run sweep "$work/plan.lua" --out "$work/lost" --engine slurm
[ "$code" = 3 ] && [[ $err == *"sbatch accepted no job"* ]]
ok $? "without a controller: sbatch's words, and exit code 3" "$(state)"
tap_end
