import { execFile, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { embed, listen, testService } from '../helper.js'

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

  it('uploads a corpus, plans a recipe and reads a batch with three calls', async (context) => {
    if (spawnSync('curl', ['--version']).status !== 0) context.skip('there is no curl')
    const calls = /```sh\n(id=[\s\S]*?)```/.exec(readme)![1]!
    const service = await testService({}, { hasDatasets: true })
    const port = await listen(service)
    const code = calls.replaceAll('localhost:8000', `127.0.0.1:${port}`).replaceAll('\n', '\necho\n')
    const { stdout } = await promisify(execFile)('sh', ['-ec', code])
    await service.close()
    const [plan, batch] = stdout
      .trim()
      .split(/\n+/)
      .map((line) => JSON.parse(line))
    expect(plan).toMatchObject({ dataset: batch.dataset, recipe_id: batch.recipe_id })
    expect(batch).toMatchObject({ batch_index: 0, num_batches: plan.num_batches })
    expect(batch.outputs.window_starts.shape).toEqual([4])
  })

  it('links to files that exist', () => {
    for (const [, path] of readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
      expect(existsSync(new URL(`../../${path}`, import.meta.url)), path).toBe(true)
    }
  })
})
