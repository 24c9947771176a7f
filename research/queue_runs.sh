#!/usr/bin/env bash
# Train the paper's model and its two rivals one after another, and resume whatever is unfinished.
#
#     nohup setsid research/queue_runs.sh >> runs/queue.log 2>&1 < /dev/null &
#
# The same command restarts the queue after a reboot or a kill. A second queue exits at once. Each run
# learns from a worktree frozen at the commit below, so that later changes of the code cannot touch it.
# Results are in runs/NAME, the output in runs/NAME.log. To stop: kill the process of runs/queue.pid
# and the trainer it started (runs/NAME.pid). The trainer saves its state when it is asked to stop.
#
# NICE (10), THREADS (1) and WORKERS (1) may be set; PYTHON names the interpreter.
set -u

ROOT="$(cd "$(git -C "$(dirname "$0")" rev-parse --path-format=absolute --git-common-dir)/.." && pwd)"
cd "$ROOT" || exit 1
PYTHON="${PYTHON:-$ROOT/.venv/bin/python}"
export GOMP_SPINCOUNT=1000 OMP_NUM_THREADS="${THREADS:-1}" OPENBLAS_NUM_THREADS=1
ATTEMPTS=20  # of a run that crashes, a minute apart

# Name of the run, which is its recipe, and the commit whose code it runs.
QUEUE=(
    "paper ce49ecb"
    "statistics-only ce49ecb"
    "avici-like e02e16b"
)

mkdir -p runs/trees
exec 9> runs/queue.lock
flock --nonblock 9 || { echo "another queue is running (process $(cat runs/queue.pid))"; exit 0; }
echo $$ > runs/queue.pid

finished() {  # the log of a run ends with {"kind": "end", ..., "done": true}, and its calibrated weights are there
    [ -f "runs/$1/model.safetensors" ] && grep '"kind": "end"' "runs/$1/log.jsonl" | tail -1 | grep -q '"done": true'
}

running() {  # a trainer that outlived its queue still works in the folder
    local process
    process="$(cat "runs/$1.pid" 2>/dev/null)" && grep -qa -- "runs/$1" "/proc/$process/cmdline" 2>/dev/null
}

train() {  # NAME
    local resume=""
    [ -f "runs/$1/state.pt" ] && resume="--resume"
    # shellcheck disable=SC2086
    PYTHONPATH="$ROOT/runs/trees/$1/src" nice -n "${NICE:-10}" "$PYTHON" -m foundcause train --recipe "$1" \
        --out "runs/$1" --workers "${WORKERS:-1}" --threads "${THREADS:-1}" $resume 9>&- >> "runs/$1.log" 2>&1 &
    echo $! > "runs/$1.pid"
    wait $!
}

for entry in "${QUEUE[@]}"; do
    read -r name commit <<< "$entry"
    [ -d "runs/trees/$name" ] || git worktree add --detach "runs/trees/$name" "$commit" || exit 1
    for ((attempt = 1; attempt <= ATTEMPTS; attempt++)); do
        while running "$name"; do sleep 30; done
        finished "$name" && break
        echo "$(date -Is) $name: attempt $attempt"
        train "$name"
        code=$?
        echo "$(date -Is) $name: exit code $code"
        [ "$code" -eq 130 ] && exit 130  # someone asked the trainer to stop
        finished "$name" || sleep 60
    done
    finished "$name" || echo "$(date -Is) $name: given up after $ATTEMPTS attempts"
done
echo "$(date -Is) the queue is done"
