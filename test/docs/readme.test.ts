import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { embed, testService } from '../helper.js'

const PATH = new URL('../../README.md', import.meta.url)

describe('README.md', () => {
  const readme = readFileSync(PATH, 'utf8')

  it('shows a first call with the answer that it gets', async () => {
    const body = /-d '(\{.*\})'/.exec(readme)![1]
    const shown = /```text\n(\{"model"[\s\S]*?)…\n```/.exec(readme)![1].replaceAll(/\n */g, '')
    const service = await testService({ EMBEDDING_DIM: '256' })
    const answer = await embed(service, body)
    await service.close()
    expect(answer.body.toString().startsWith(shown)).toBe(true)
  })

  it('links to files that exist', () => {
    for (const [, path] of readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
      expect(existsSync(new URL(`../../${path}`, import.meta.url)), path).toBe(true)
    }
  })
})
