import '../built.js'
import { expect, test } from 'vitest'
import { CommandError } from '../../src/cli/exit.js'
import { startLocalService } from '../../src/cli/local-service.js'

const SMALL = { EMBEDDING_DIM: '8', TF_BACKEND: 'cpu' }

async function limitsUnder(env: NodeJS.ProcessEnv): Promise<Record<string, number>> {
  const service = await startLocalService(env)
  try {
    const headers = { authorization: `Bearer ${service.key}` }
    const response = await fetch(`${service.url}/v1/models/default`, { headers })
    return ((await response.json()) as { limits: Record<string, number> }).limits
  } finally {
    await service.close()
  }
}

test('the limits that protect a service are off in a command’s own, but for those that are given', async () => {
  expect(await limitsUnder(SMALL)).toMatchObject({ max_body_bytes: 2 ** 40, max_response_bytes: 2 ** 40 })
  expect(await limitsUnder({ ...SMALL, MAX_BODY_BYTES: '1000' })).toMatchObject({ max_body_bytes: 1000 })
})

test('nobody else can call it', async () => {
  const service = await startLocalService(SMALL)
  expect((await fetch(`${service.url}/v1/models`)).status).toBe(401)
  await service.close()
})

test.each([
  [{ EMBEDDING_DIM: '1000000' }, /4 GiB/],
  [{ ENCODING: 'gpt9' }, /^ENCODING must be/],
])('%j is refused with a message for the person', async (env, message) => {
  await expect(startLocalService(env)).rejects.toThrow(CommandError)
  await expect(startLocalService(env)).rejects.toThrow(message)
})
