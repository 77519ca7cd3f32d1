"""Holds the list of model types against the newest transformers: a type of its maps that the list lacks is an error."""

import json
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

MAPS = "CAUSAL_LM", "IMAGE_TEXT_TO_TEXT", "MULTIMODAL_LM"
LIST = Path(__file__).parent.parent / "goldens" / "model-types.json"

with tempfile.TemporaryDirectory() as folder:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, "transformers"]
    subprocess.run(pip, check=True)
    (wheel,) = Path(folder).glob("*.whl")
    source = zipfile.ZipFile(wheel).read("transformers/models/auto/modeling_auto.py").decode()

types = set()
for name in MAPS:
    body = re.search(rf"^MODEL_FOR_{name}_MAPPING_NAMES = OrderedDict\((.*?)^\)", source, re.M | re.S)
    types |= set(re.findall(r'^\s*\("([^"]+)",', body[1], re.M))
known = json.loads(LIST.read_text())
new = sorted(types - known.keys())
print(f"{wheel.name}: {len(types)} types, {len(known)} in the list")
if new:
    sys.exit(f"transformers has model types that {LIST.name} lacks: {', '.join(new)}")
