"""Feeds transformers.Trainer with batches of chats: labels and the number of targets are Inlet's.

chats_trainer.py URL MODEL CHATS.jsonl    MODEL: a folder of the service with a tokenizer and a chat template
"""

import sys
import tempfile

from inlet_client import Dataset, Inlet
from torch.utils.data import DataLoader
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

URL, MODEL, CHATS = sys.argv[1:4]
T, B = 96, 8


class ChatTrainer(Trainer):
    """A trainer whose batches come made: windows of several chats, whose positions begin again with each."""

    def __init__(self, *given, batches, **more):
        super().__init__(*given, **more)
        self.batches = batches

    def get_train_dataloader(self):
        return DataLoader(self.batches, batch_size=None)  # each pass is the next epoch

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        targets = inputs.pop("num_target_tokens")  # of all ranks: num_items_in_batch is what one process counts
        output = model(**inputs, num_items_in_batch=targets)
        return (output.loss, output) if return_outputs else output.loss


with Inlet(URL) as inlet:
    made = inlet.upload_dataset(CHATS, model=MODEL, progress=True)
    vocab_size = inlet.model(MODEL)["vocab_size"]
# Without attention_mask and cache the model tells the chats of a window apart by position_ids.
outputs = ["input_ids", "position_ids", "labels"]
recipe = {"packing": "best_fit", "shuffle": True, "seed": 1, "pad_token_id": 0, "outputs": outputs}
batches = Dataset(URL, made["id"]).batches(T, B, torch=True, **recipe)
sizes = {"vocab_size": vocab_size, "n_positions": T, "n_embd": 64, "n_layer": 2, "n_head": 4}
config = GPT2Config(**sizes, use_cache=False, bos_token_id=None, eos_token_id=None)
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        output_dir=folder, max_steps=100, learning_rate=3e-3, lr_scheduler_type="constant", logging_steps=20,
        use_cpu=True, report_to="none", save_strategy="no", disable_tqdm=True,
    )
    ChatTrainer(GPT2LMHeadModel(config), arguments, batches=batches).train()
