import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hubSettings } from '../../../src/checkpoints/hub/hub.js'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'inlet-hf-'))
  await writeFile(join(home, 'token'), 'hf_of_home\n')
  await writeFile(join(home, 'other'), 'hf_of_path\n')
})
afterEach(() => rm(home, { recursive: true }))

const settings = (env: Record<string, string>, endpoint?: string) =>
  hubSettings({ HF_HOME: home, ...env }, 60, endpoint)

describe('the token', () => {
  test('is HF_TOKEN, else the file HF_TOKEN_PATH, else the one in HF_HOME', async () => {
    expect(await settings({ HF_TOKEN: ' hf_given ', HF_TOKEN_PATH: join(home, 'other') })).toMatchObject({
      token: 'hf_given',
    })
    expect((await settings({ HF_TOKEN: '', HF_TOKEN_PATH: join(home, 'other') })).token).toBe('hf_of_path')
    expect((await settings({})).token).toBe('hf_of_home')
    expect((await settings({ HF_HOME: join(home, 'none') })).token).toBeUndefined()
  })

  test('must be visible ASCII, and is not shown otherwise', async () => {
    await expect(settings({ HF_TOKEN: 'two words' })).rejects.toThrow(
      /^The token of HF_TOKEN must be visible/,
    )
  })
})

describe('the endpoint', () => {
  test('is the given one, else HF_ENDPOINT, else the Hub', async () => {
    const env = { HF_ENDPOINT: 'http://mirror.example/hub/' }
    expect((await settings(env, 'http://other.example')).endpoint).toBe('http://other.example')
    expect((await settings(env)).endpoint).toBe('http://mirror.example/hub')
    expect((await settings({})).endpoint).toBe('https://huggingface.co')
  })

  test.each(['mirror', 'file:///etc', 'http://mirror.example/?a=b'])('cannot be %s', async (endpoint) => {
    await expect(settings({}, endpoint)).rejects.toThrow(
      `must be an http or https address. Given: ${endpoint}`,
    )
  })

  test('has no password', async () => {
    await expect(settings({}, 'http://me:secret@mirror.example')).rejects.toThrow(/^(?!.*secret).*HF_TOKEN/)
  })
})

test.each(['1', 'true', 'YES', 'on'])('HF_HUB_OFFLINE=%s forbids the network', async (value) => {
  await expect(settings({ HF_HUB_OFFLINE: value })).rejects.toThrow(`HF_HUB_OFFLINE is ${value}`)
  expect(await settings({ HF_HUB_OFFLINE: '0' })).toMatchObject({ timeoutSeconds: 60 })
})
