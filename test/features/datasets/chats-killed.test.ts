import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { chats, folderOf } from '../../first-layer/datasets/chats/golden-chats.js'
import { type ServerProcess, startServer } from '../../service/server-process.js'
import { until } from '../../until.js'

const folder = mkdtempSync(join(tmpdir(), 'inlet-chats-killed-'))
const root = join(folder, 'datasets')
let server: ServerProcess
afterEach(async () => {
  server.kill()
  await server.exited
  rmSync(folder, { recursive: true, force: true })
})

const env = { DATA_DIR: folder, MODELS_DIR: folderOf(''), THREADS: '1', EMBEDDING_DIM: '8' }
const UPLOAD = '/v1/datasets?model=thinking'
const headers = { 'content-type': 'application/x-ndjson' }

/** The masks in the making, with bytes. */
const masks = () =>
  readdirSync(root)
    .map((name) => statSync(join(root, name, 'mask.bin'), { throwIfNoEntry: false })?.size ?? 0)
    .filter((bytes) => bytes > 0)

test('an upload of chats whose service is killed is not there, and sent again it is whole', async () => {
  const lines = Array(200).fill(chats.folders.thinking!.files.kept!).flat()
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  server = startServer(env)
  await server.allServe()
  const sending = request(`http://127.0.0.1:${await server.port()}${UPLOAD}`, { method: 'POST', headers })
  const failed = new Promise((resolve) => sending.on('error', resolve))
  sending.write(body) // and no end
  await until(() => masks().length > 0)
  server.kill()
  await server.exited
  await failed
  expect(readdirSync(root)).toHaveLength(1)

  server = startServer(env)
  await server.allServe()
  expect(readdirSync(root)).toEqual([])
  expect(await (await server.get('/v1/datasets')).json()).toMatchObject({ data: [] })
  const url = `http://127.0.0.1:${await server.port()}${UPLOAD}`
  const answer = await fetch(url, { method: 'POST', headers, body })
  expect(answer.status).toBe(201)
  const dataset = (await answer.json()) as { id: string; num_tokens: number; chats: { num_chats: number } }
  expect(dataset.chats.num_chats).toBe(lines.length)
  expect(readdirSync(root)).toEqual([dataset.id])
  expect(statSync(join(root, dataset.id, 'mask.bin')).size).toBe(Math.ceil(dataset.num_tokens / 8))
})
