#!/usr/bin/env bash
# Runs the examples that train on chats: the tiny GPT answers and stops by itself, transformers' Trainer learns from the same
# batches. Needs `npm run build` and Python; VENV names an environment with torch, transformers and accelerate, else one is
# made (gigabytes).
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/clients/serve.sh
venv numpy torch transformers accelerate
serve MODELS_DIR=test/goldens/chats
export PYTHONPATH=clients/python/src

"$VENV/bin/python" examples/chats_train.py "$url" chatml examples/chats.jsonl | tee "$work/train.log"
for answer in 'Japan? Tokyo.' 'Lima? In Peru.'; do grep -qF "$answer [stopped]" "$work/train.log"; done

"$VENV/bin/python" examples/chats_trainer.py "$url" chatml examples/chats.jsonl | tee "$work/trainer.log"
last=$(grep -o "'loss': '[0-9.]*" "$work/trainer.log" | tail -1 | grep -o '[0-9.]*$')
awk -v last="$last" 'BEGIN { exit !(last < 1.5) }'
echo "chats: both examples learn, the last loss of Trainer is $last"
