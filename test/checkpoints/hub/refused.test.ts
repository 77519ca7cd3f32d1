import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { rawFile } from '../../table-files.js'
import { cut, type Intercept } from './fake-hub.js'
import { golden, Pulling, TOKENIZER } from './pulling.js'

let pulling: Pulling
beforeEach(async () => {
  pulling = await Pulling.of({ ...(await golden('gpt2')), ...TOKENIZER })
})
afterEach(() => pulling.end())

/** Answers the first request of a file with a status, or every one. */
function answering(file: string, status: number, headers: Record<string, string>, times = Number.MAX_VALUE) {
  let left = times
  const intercept: Intercept = (seen, response) => {
    if (seen.file !== file || left-- <= 0) return false
    response.writeHead(status, headers).end()
    return true
  }
  pulling.hub.intercept = intercept
}

/** No folder is left where the model would be. */
async function noTarget(): Promise<void> {
  expect(await readdir(pulling.folder)).not.toContain('model')
}

const WEIGHTS = 'model.safetensors'

describe('the token', () => {
  test('goes to the Hub, and not to the server that it redirects to', async () => {
    await pulling.pull({ token: 'hf_secret' })
    const { seen } = pulling.hub
    expect(new Set(seen.filter(({ server }) => server === 'hub').map((each) => each.authorization))).toEqual(
      new Set(['Bearer hf_secret']),
    )
    const files = seen.filter(({ server }) => server === 'files')
    expect(files.length).toBeGreaterThan(1)
    expect(files.every(({ authorization }) => authorization === undefined)).toBe(true)
  })
})

describe('a refusal of the Hub names what the user can do', () => {
  const GATED = { 'x-error-code': 'GatedRepo', 'x-error-message': 'Access is restricted' }

  test.each([401, 403])('gated (%i), without a token', async (status) => {
    answering('config.json', status, GATED)
    const message = `org/model is gated. Accept its conditions at ${pulling.hub.url}/org/model, and give a token of that account in HF_TOKEN: none is given.`
    await expect(pulling.pull()).rejects.toThrow(message)
    await noTarget()
  })

  test('gated, with a token', async () => {
    answering('config.json', 403, GATED)
    await expect(pulling.pull({ token: 'hf_secret' })).rejects.toThrow('HF_TOKEN: the one given is refused.')
  })

  test.each([
    [
      404,
      { 'x-error-code': 'RepoNotFound' },
      /org\/model is not at .*\/org\/model, or is private: then HF_TOKEN/,
    ],
    [401, { 'x-error-code': 'RepoNotFound' }, /or is private: .* none is given/],
    [404, { 'x-error-code': 'RevisionNotFound' }, /org\/model has no revision v9\./],
    [400, { 'x-error-message': 'bad\u00e9' }, /org\/model: the Hub answered 400: bad/],
  ])('%i %j', async (status, headers, message) => {
    pulling.hub.intercept = (_, response) => {
      response.writeHead(status, headers).end()
      return true
    }
    await expect(pulling.pull({ source: 'org/model@v9' })).rejects.toThrow(message)
    expect(pulling.pauses).toEqual([])
    await noTarget()
  })

  test('a refusal of the file server is not reported as the Hub’s', async () => {
    pulling.hub.intercept = ({ server }, response) => {
      if (server === 'files') response.writeHead(403, { 'x-error-code': 'GatedRepo' }).end()
      return server === 'files'
    }
    const message = `model.safetensors of org/model: ${pulling.hub.filesUrl} answered 403.`
    await expect(pulling.pull()).rejects.toThrow(message)
  })

  test('a repository of pickles', async () => {
    pulling.hub.files.delete(WEIGHTS)
    pulling.hub.files.set('pytorch_model.bin', Buffer.alloc(1))
    const message =
      'pytorch_model.bin is a pickle, which is never opened: convert it with AutoModel.from_pretrained("org/model").save_pretrained(".")'
    await expect(pulling.pull()).rejects.toThrow(message)
    await noTarget()
  })

  test('a family that is not served, before any weights are fetched', async () => {
    pulling.hub.files.set('config.json', Buffer.from('{"model_type":"zebra9"}'))
    await expect(pulling.pull()).rejects.toThrow(/`model_type` "zebra9" is not served.*docs\/model-types.md/)
    expect(pulling.hub.sent.get(WEIGHTS)).toBeUndefined()
  })

  test('a repository without config.json', async () => {
    pulling.hub.files.delete('config.json')
    await expect(pulling.pull()).rejects.toThrow(/config\.json/)
  })
})

describe('a hostile Hub is refused', () => {
  test.each(['../../etc/passwd', '/etc/passwd', 'a/../b', 'a\\b', 'C:x', 'a\u0000b', 'a//b', '.', ''])(
    'a file named %j',
    async (name) => {
      pulling.hub.files.set(name, Buffer.alloc(1))
      await expect(pulling.pull()).rejects.toThrow('names a file that leads out of its folder')
      await noTarget()
    },
  )

  test('shards outside the folder', async () => {
    pulling.hub.files.delete(WEIGHTS)
    const index = { weight_map: { 'wte.weight': '../../secret.safetensors' } }
    pulling.hub.files.set('model.safetensors.index.json', Buffer.from(JSON.stringify(index)))
    await expect(pulling.pull()).rejects.toThrow('must be the name of a safetensors file in the folder')
  })

  test.each([['file:///etc/passwd'], ['http://me:secret@127.0.0.1/'], ['http://']])(
    'a redirect to %s',
    async (location) => {
      answering(WEIGHTS, 302, { location })
      await expect(pulling.pull()).rejects.toThrow(
        `redirects to an address that is not followed: ${location}`,
      )
      expect(pulling.pauses).toEqual([])
    },
  )

  test('endless redirects', async () => {
    answering(WEIGHTS, 307, { location: `/org/model/resolve/x/${WEIGHTS}` })
    await expect(pulling.pull()).rejects.toThrow('redirects more than 10 times')
  })

  test('a commit that is a path', async () => {
    pulling.hub.commit = '../../x'
    await expect(pulling.pull()).rejects.toThrow('must say the commit of org/model. Given: "../../x"')
  })

  test('a page instead of JSON', async () => {
    pulling.hub.intercept = (_, response) => {
      response.end('<html>')
      return true
    }
    await expect(pulling.pull()).rejects.toThrow('does not answer as a Hub: its answer is no JSON')
  })

  test('a header longer than the file', async () => {
    const file = rawFile('{}')
    file.writeBigUInt64LE(99n)
    pulling.hub.files.set(WEIGHTS, file)
    await expect(pulling.pull()).rejects.toThrow('The header has 99 bytes, the file only 10')
  })

  test('a whole file where a part is asked for', async () => {
    pulling.hub.intercept = ({ server, file }, response) => {
      if (server !== 'files') return false
      response.end(pulling.hub.files.get(file!))
      return true
    }
    await expect(pulling.pull()).rejects.toThrow(
      'its server must send the bytes 0 to 7. Given: the whole file',
    )
  })

  test.each([
    ['another part', 'bytes 8-15/73224'],
    ['a part of nothing', 'bytes */73224'],
  ])('%s than asked for', async (_, range) => {
    pulling.hub.intercept = ({ server }, response) => {
      if (server !== 'files') return false
      response.writeHead(206, { 'content-range': range }).end(Buffer.alloc(8))
      return true
    }
    await expect(pulling.pull()).rejects.toThrow(/must send the bytes 0 to 7/)
  })

  test('more bytes than declared', async () => {
    const size = pulling.hub.files.get(WEIGHTS)!.length
    pulling.hub.intercept = ({ server }, response) => {
      if (server !== 'files') return false
      response.writeHead(206, { 'content-range': `bytes 0-7/${size}` }).end(Buffer.alloc(4000)) // chunked
      return true
    }
    await expect(pulling.pull()).rejects.toThrow('sends more than the bytes 0 to 7')
  })

  test('a file of unknown size', async () => {
    pulling.hub.intercept = ({ file }, response) => {
      if (file !== 'config.json') return false
      // Node 24 calls back at once where the client has gone.
      const more = (error?: Error | null) => void (error || response.write(Buffer.alloc(1 << 16), more))
      more()
      return true
    }
    await expect(pulling.pull()).rejects.toThrow('config.json of org/model must have at most 67108864 bytes')
  })

  test('bytes whose SHA-256 differs from the Hub’s', async () => {
    answering('tokenizer.json', 200, { 'x-linked-etag': `"${'a'.repeat(64)}"`, 'content-length': '0' })
    await expect(pulling.pull()).rejects.toThrow(/tokenizer\.json of org\/model must have the SHA-256 aaaa/)
  })
})

describe('a failure that may pass is tried again', () => {
  test.each([429, 500, 502, 503, 504])('%i', async (status) => {
    answering(WEIGHTS, status, {}, 2)
    await pulling.pull()
    expect(pulling.pauses.map(({ seconds }) => seconds)).toEqual([1, 2])
  })

  test('after Retry-After, in seconds or as a date', async () => {
    answering(WEIGHTS, 429, { 'retry-after': '7' }, 1)
    await pulling.pull()
    expect(pulling.pauses).toEqual([{ seconds: 7, reason: expect.stringContaining('the Hub answered 429') }])
    pulling.hub.commit = 'd'.repeat(40)
    answering(WEIGHTS, 503, { 'retry-after': new Date(Date.now() + 60_000).toUTCString() }, 1)
    await pulling.pull({ force: true })
    expect(pulling.pauses[1].seconds).toBeGreaterThan(30)
    expect(pulling.pauses[1].seconds).toBeLessThanOrEqual(60)
  })

  test('not if Retry-After is an hour', async () => {
    answering(WEIGHTS, 429, { 'retry-after': '3600' })
    await expect(pulling.pull()).rejects.toThrow('the Hub answered 429')
    expect(pulling.pauses).toEqual([])
  })

  test('five times in all', async () => {
    answering(WEIGHTS, 503, { 'x-error-message': 'under repair' })
    await expect(pulling.pull()).rejects.toThrow('the Hub answered 503: under repair')
    expect(pulling.pauses.map(({ seconds }) => seconds)).toEqual([1, 2, 4, 8])
    expect(pulling.hub.seen.filter(({ file }) => file === WEIGHTS)).toHaveLength(5)
  })

  test('a server that is silent', async () => {
    let asked = 0
    pulling.hub.intercept = ({ file }) => file === 'config.json' && ++asked === 1
    await pulling.pull({ timeoutSeconds: 0.3 })
    expect(pulling.pauses).toEqual([{ seconds: 1, reason: `${pulling.hub.url} was silent for 0.3 s.` }])
  })

  test('a server that falls silent within a tensor, from that byte', async () => {
    let asked = 0
    pulling.hub.intercept = ({ server, range, file }, response) => {
      if (server !== 'files' || ++asked !== 3) return false
      const [first, last] = range!.slice(6).split('-').map(Number)
      const content = pulling.hub.files.get(file!)!
      response.writeHead(206, { 'content-range': `bytes ${first}-${last}/${content.length}` })
      response.write(content.subarray(first, first + 10))
      return true
    }
    await pulling.pull({ timeoutSeconds: 0.3 })
    const [before, after] = pulling.hub.seen.filter(({ server }) => server === 'files').slice(2)
    const start = (range: string | undefined) => Number(range!.slice(6).split('-')[0])
    expect(start(after.range) - start(before.range)).toBe(10)
  })

  test('a connection that is cut repeatedly, as long as bytes come', async () => {
    const cuts = 12
    let asked = 0
    pulling.hub.intercept = ({ server, range, file }, response) => {
      if (server !== 'files' || range === 'bytes=0-7' || ++asked > cuts) return false
      const [first, last] = range!.slice(6).split('-').map(Number)
      const content = pulling.hub.files.get(file!)!
      response.writeHead(206, {
        ...{ 'content-range': `bytes ${first}-${last}/${content.length}` },
        'content-length': last - first + 1,
      })
      cut(response, content.subarray(first, first + 5))
      return true
    }
    await pulling.pull()
    expect(pulling.pauses).toHaveLength(cuts)
    expect(new Set(pulling.pauses.map(({ seconds }) => seconds))).toEqual(new Set([1]))
  })

  test('a file that is cut short', async () => {
    let asked = 0
    pulling.hub.intercept = ({ file }, response) => {
      if (file !== 'tokenizer.json' || ++asked > 1) return false
      response.writeHead(200, { 'content-length': 100 })
      cut(response, Buffer.alloc(10))
      return true
    }
    await pulling.pull()
    expect(await readFile(join(pulling.target, 'tokenizer.json'), 'utf8')).toBe(TOKENIZER['tokenizer.json'])
  })

  test('a file shorter than the Hub’s size, though its server ends it properly', async () => {
    let asked = 0
    pulling.hub.intercept = ({ file }, response) => {
      if (file !== 'tokenizer.json' || ++asked > 1) return false
      response.writeHead(200, { 'x-linked-size': 100 }).end('{}')
      return true
    }
    await pulling.pull()
    expect(pulling.pauses[0].reason).toBe('tokenizer.json of org/model broke off at byte 2 of 100.')
    expect(await readFile(join(pulling.target, 'tokenizer.json'), 'utf8')).toBe(TOKENIZER['tokenizer.json'])
  })
})
