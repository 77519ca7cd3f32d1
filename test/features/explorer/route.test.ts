import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestService, testService } from '../../helper.js'
import '../../built.js'

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

let service: TestService
beforeAll(async () => {
  service = await testService({ API_KEYS: 'someone:secret-key-of-sixteen' })
})
afterAll(() => service.close())

const get = (url: string, headers: Record<string, string> = {}) => service.app.inject({ url, headers })

describe('GET /', () => {
  it('is the explorer for a browser, without a key', async () => {
    const page = await get('/', HTML)
    expect(page.statusCode).toBe(200)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.headers['cache-control']).toBe('no-cache')
    expect(page.headers.vary).toBe('Accept')
  })

  it('is the list of routes for others', async () => {
    for (const answer of [await get('/'), await get('/', { accept: '*/*' })]) {
      const { routes } = answer.json()
      expect(routes).toContainEqual({
        method: 'POST',
        path: '/v1/input-embeddings',
        summary: 'Text or ids in, input embeddings out',
      })
    }
  })

  it('is 406 for those who take neither', async () => {
    expect((await get('/', { accept: 'image/png' })).statusCode).toBe(406)
  })

  it('is 304 for those who have it', async () => {
    const { etag } = (await get('/', HTML)).headers
    const again = await get('/', { ...HTML, 'if-none-match': `"other", W/${etag}` })
    expect([again.statusCode, again.body]).toEqual([304, ''])
    expect(again.headers.etag).toBe(etag)
    expect((await get('/', { ...HTML, 'if-none-match': '"other"' })).statusCode).toBe(200)
  })

  it('may run its own files alone, and has nothing inline', async () => {
    const page = await get('/', HTML)
    const policy = String(page.headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'") // not that of data
    expect(policy).not.toContain('unsafe')
    expect(page.body).not.toMatch(/<script(?![^>]*(src=|type="application\/json"))|<style|style=|https?:\/\//)
  })
})

describe('the files of the explorer', () => {
  it('are those that the page names, relative to it, open and for ever', async () => {
    const { body } = await get('/', HTML)
    const names = Array.from(body.matchAll(/(?:src|href|content)="(explorer\/[^"]+)"/g), ([, name]) => name)
    expect(names.length).toBe(2)
    for (const name of names) {
      const file = await get(`/${name}`)
      expect(file.statusCode, name).toBe(200)
      expect(file.headers['cache-control']).toBe('public, max-age=31536000, immutable')
      expect(file.headers['content-type']).toMatch(/^text\/(css|javascript); charset=utf-8$/)
    }
  })

  it.each(['none.js', 'index.html', 'LICENSES.txt', '..%2fserver.js', '..%2f..%2fpackage.json'])(
    'are no others: %s',
    async (name) => {
      const answer = await get(`/explorer/${name}`)
      expect([answer.statusCode, answer.json().error.code]).toEqual([404, 'not_found'])
    },
  )
})
