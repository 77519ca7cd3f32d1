import '../built.js'
import { expect, test } from 'vitest'
import { CommandError } from '../../src/cli/exit.js'
import { localConfig, startLocalService } from '../../src/cli/local-service.js'

const SMALL = { EMBEDDING_DIM: '8', TF_BACKEND: 'cpu' }

test('the limits that protect a service are off in a command’s own, but for those that are given', async () => {
  const off = {
    MAX_BODY_BYTES: 2 ** 40,
    MAX_RESPONSE_BYTES: 2 ** 40,
    MAX_JSON_RESPONSE_BYTES: 2 ** 40,
    MAX_BYTES_IN_FLIGHT: 2 ** 40,
    REQUEST_DEADLINE_SECONDS: 86_400,
    WRITE_STALL_SECONDS: 86_400,
  }
  expect(localConfig({}, 'key')).toMatchObject(off)
  const given = { MAX_BODY_BYTES: 1000, REQUEST_DEADLINE_SECONDS: 7 }
  const env = { MAX_BODY_BYTES: '1000', REQUEST_DEADLINE_SECONDS: '7', THREADS: '8', PORT: '80' }
  expect(localConfig(env, 'key')).toMatchObject({ ...off, ...given, THREADS: 1, PORT: 8000 })
})

test('it answers whoever has its key', async () => {
  const service = await startLocalService(SMALL)
  const headers = { authorization: `Bearer ${service.key}` }
  const response = await fetch(`${service.url}/v1/models/default`, { headers })
  expect(await response.json()).toMatchObject({ embedding_dim: 8, limits: { max_body_bytes: 2 ** 40 } })
  await service.close()
})

test('nobody else can call it', async () => {
  const service = await startLocalService(SMALL)
  expect((await fetch(`${service.url}/v1/models`)).status).toBe(401)
  await service.close()
})

test.each([
  [{ EMBEDDING_DIM: '1000000' }, /4 GiB|MAX_TABLE_BYTES/],
  [{ ENCODING: 'gpt9' }, /^ENCODING must be/],
])('%j is refused with a message for the person', async (env, message) => {
  await expect(startLocalService(env)).rejects.toThrow(CommandError)
  await expect(startLocalService(env)).rejects.toThrow(message)
})
