import { describe, expect, it } from 'vitest'
import { service } from './documented.js'

describe('/docs', () => {
  it('loads nothing from elsewhere, and may not', async () => {
    const app = await service()
    const page = await app.inject('/docs')
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    expect(page.headers['content-security-policy']).toContain("script-src 'self'") // not that of data
    expect(page.headers['content-security-policy']).not.toContain('unsafe')
    expect(page.body).not.toMatch(/https?:\/\//)
    expect(page.body).not.toMatch(/<script>|style=/)
  })

  it('serves every file that the page names', async () => {
    const app = await service()
    const { body } = await app.inject('/docs')
    const names = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) => name)
    expect(names.length).toBeGreaterThan(3)
    for (const name of names) expect((await app.inject(`/${name}`)).statusCode, name).toBe(200)
    const script = await app.inject('/docs/start.js')
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8')
    expect(script.body).toContain("url: 'openapi.json'")
  })

  it('leads from /docs/ to the page, also under a prefix', async () => {
    const app = await service()
    const answer = await app.inject('/docs/')
    expect([answer.statusCode, answer.headers.location]).toEqual([302, '../docs'])
  })
})
