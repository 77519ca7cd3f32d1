import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { inFolder } from '../cli/run-command.js'
import { listen, testService } from '../helper.js'

const PYTHON = process.env.PYTHON ?? 'python3'
const hasPython = spawnSync(PYTHON, ['--version']).status === 0

const SCRIPT = `
import json, sys
from inlet_client import Inlet
url, path = sys.argv[1:]
told = []
with Inlet(url) as inlet:
    fields = {"encoding": "gpt2", "mask": "sampled", "document_end": "endoftext"}
    made = inlet.upload_dataset(path, progress=lambda *given: told.append(given), **fields)
    again = inlet.upload_dataset(iter([open(path, "rb").read()]), type="ndjson", progress=True, **fields)
    seen = inlet.dataset_batch_documents(made["id"], 0, 16, 2, packing="best_fit", text=True)
print(json.dumps([told, made["mask"], made["id"] == again["id"], seen["documents"][-1]]))
`

it.skipIf(!hasPython)(
  'the Python client uploads chats, tells how much is sent, and what stands in a batch',
  async () => {
    const service = await testService({}, { hasDatasets: true })
    const url = `http://127.0.0.1:${await listen(service)}`
    const line = (n: number) => `${JSON.stringify({ prompt: `${n} + ${n} =`, completion: ` ${2 * n}` })}\n`
    const body = Array.from({ length: 9000 }, (_, n) => line(n)).join('')
    await inFolder(async (folder) => {
      const path = join(folder, 'chats.jsonl')
      writeFileSync(path, body)
      const env = { ...process.env, PYTHONPATH: 'clients/python/src', PYTHONDONTWRITEBYTECODE: '1' }
      const { stdout, stderr } = await promisify(execFile)(PYTHON, ['-c', SCRIPT, url, path], { env })
      const [told, mask, isSame, seen] = JSON.parse(stdout)
      expect(told).toEqual([
        [1 << 18, body.length],
        [body.length, body.length],
      ])
      expect([mask, isSame, stderr]).toEqual(['sampled', true, '\r0.4 MB'])
      expect(seen).toMatchObject({ row: 1, texts: [{ trained: false }, { trained: true }] })
      expect(line(seen.line - 1)).toContain(seen.texts[0].text)
    })
    await service.close()
  },
)
