import { dirname } from 'node:path'
import { findPython, peer } from '../harness/python.mjs'
import { rankFiles } from '../harness/rank-files.mjs'
import { startServer } from '../harness/service.mjs'

/** Fastify itself: an empty route, and one that sends a ready buffer of `bytes`. */
export function startLimits(bytes = 1) {
  return startServer(
    (port) => ({ command: process.execPath, args: [peer('limits.mjs'), port, bytes].map(String) }),
    '/health',
  )
}

/** FastAPI + PyTorch + tiktoken under uvicorn with one worker, or { absent: why }. */
export async function startFastapi() {
  const python = findPython('fastapi', 'torch', 'tiktoken', 'uvicorn', 'orjson')
  if (python.absent) return { ...python, async stop() {} }
  const RANKS = await rankFiles('r50k_base')
  const server = await startServer(
    (port) => ({
      command: python.path,
      args: ['-m', 'uvicorn', 'fastapi_app:app', '--port', String(port), '--log-level', 'warning'],
      env: { RANKS, PYTHONPATH: dirname(peer('fastapi_app.py')), OMP_NUM_THREADS: '1' },
    }),
    '/health',
  )
  const versions = Object.entries(python.versions).map(([name, version]) => `${name} ${version}`)
  const { fastapi, torch } = python.versions
  return { ...server, name: `FastAPI ${fastapi} + PyTorch ${torch}`, versions: versions.join(', ') }
}
