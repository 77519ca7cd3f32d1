import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { atLeast } from './harness/floors.mjs'
import { findPython, peer } from './harness/python.mjs'
import { median, ratio } from './harness/rounds.mjs'
import { startService } from './harness/service.mjs'
import { SMOKE } from './harness/smoke.mjs'
import { figure, times } from './harness/text.mjs'

const [TOKENS, BATCHES] = SMOKE ? [1_000_000, 20] : [20_000_000, 500]
/** Workers, and what is reached at least: without any, each answer is waited for. */
const FLOORS = [
  [0, 0.15],
  [2, 0.5],
]

/** Batches [16, 1024] of a dataset in a PyTorch DataLoader, beside the same loader over a local memmap of the ids. */
export async function bench({ rounds, say }) {
  const python = findPython('torch', 'numpy')
  if (python.absent) say(python.absent)
  const rows = []
  const floors = []
  for (const [workers, floor] of python.absent ? [] : FLOORS) {
    const service = await startService()
    try {
      const args = [peer('memmap_loop.py'), service.url, TOKENS, workers, BATCHES, rounds].map(String)
      const { ours, local } = JSON.parse((await promisify(execFile)(python.path, args)).stdout)
      const beside = ratio(ours, local)
      rows.push([workers, figure(median(ours)), `${figure(median(local))}, ${times(beside)}`])
      say(rows.at(-1).join(' | '))
      floors.push(atLeast(`${workers} workers, beside np.memmap`, beside.middle, floor))
    } finally {
      await service.stop()
    }
  }
  return {
    title: 'Batches [16, 1024] in a PyTorch DataLoader, samples a second',
    notes: [
      `A shuffled dataset of ${figure(TOKENS / 1e6)} million ids, \`Dataset.batches\` of the Python client, service and loader on one machine; beside it a loader that reads the same ids in the same order from a local \`np.memmap\` and stacks them. Both give int64 ids and targets, the same ones.${python.absent ? '' : ` PyTorch ${python.versions.torch}.`}`,
    ],
    head: ['workers', 'Inlet', 'a local np.memmap'],
    rows,
    floors,
  }
}
