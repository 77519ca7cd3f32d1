import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { listen, testService } from '../helper.js'

const PYTHON = process.env.PYTHON ?? 'python3'
const [, CODE] = /```python\n(.*?)```/s.exec(readFileSync('docs/training.md', 'utf8'))!

test('the table of docs/training.md learns, and its new rows are served', async (context) => {
  const hasNumpy = spawnSync(PYTHON, ['-c', 'import numpy']).status === 0
  if (!hasNumpy) context.skip(`${PYTHON} has no numpy: set PYTHON to one that has it`)
  const [, key] = /key="([^"]+)"/.exec(CODE)!
  const service = await testService({ ADMIN_KEY: key })
  const code = CODE.replace('http://localhost:8000', `http://127.0.0.1:${await listen(service)}`)
  const env = { ...process.env, PYTHONPATH: 'clients/python/src' }
  const python = spawn(PYTHON, ['-c', code], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = (await text(python.stdout)).trim().split('\n')
  await service.close()
  const losses = lines.slice(0, 3).map((line) => Number(/^epoch \d: ([\d.]+)$/.exec(line)?.[1]))
  expect(losses).toEqual(losses.toSorted((a, b) => b - a))
  expect(losses[2]).toBeLessThan(losses[0] / 1.2)
  expect(lines[3]).toBe('2 True')
})
