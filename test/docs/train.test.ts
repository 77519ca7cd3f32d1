import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inFolder, runBuilt } from '../cli/run-command.js'
import { startServer } from '../service/server-process.js'

/** The lines of a page's block that begins with training a tokenizer. */
async function linesOf(page: string): Promise<readonly string[]> {
  const [, lines] = /```text\n(npx inlet train-tokenizer [\s\S]*?)```/.exec(await readFile(page, 'utf8'))!
  return lines!.trim().split('\n')
}

test('two pages go from text to a vocabulary, its ids and a batch', async () => {
  const [train, run, merge, serve, curl] = await linesOf('docs/train.md')
  const [again, start, push, other] = await linesOf('docs/train-tokenizer.md')
  expect([again, start, serve]).toEqual([train, 'npm start', 'DATA_DIR=data npx inlet serve'])
  await inFolder(async (folder) => {
    await mkdir(join(folder, 'corpus'))
    const names = (await readdir('docs')).filter((name) => /^[pt].*\.md$/.test(name))
    for (const name of names) await cp(join('docs', name), join(folder, 'corpus', `${name}.txt`))
    const texts = await Promise.all(names.map((name) => readFile(join('docs', name), 'utf8')))
    await writeFile(join(folder, 'corpus.jsonl'), texts.map((text) => JSON.stringify({ text })).join('\n'))
    const inlet = async (line: string, env = {}) => {
      const { code, stdout, stderr } = await runBuilt(line.split(' ').slice(2), env, '', folder)
      expect(code, stderr).toBe(0)
      return `${stdout}${stderr}`
    }
    await inlet(train!)
    await inlet(run!)
    const [merged] = /ds_\w+/.exec(await inlet(merge!))!
    const folders = { DATA_DIR: join(folder, 'data'), MODELS_DIR: join(folder, 'models') }
    const server = startServer({ ...folders, EMBEDDING_DIM: '8' })
    try {
      await server.ready()
      const url = `http://127.0.0.1:${await server.port()}`
      const [pushed] = /ds_\w+/.exec(await inlet(push!, { INLET_URL: url }))!
      expect(pushed).toBe(merged)
      expect(other).toBe(curl)
      const path = /localhost:8000(\S+)'/.exec(curl!)![1]!.replace('ds_…', merged)
      const { outputs } = (await (await server.get(path)).json()) as {
        outputs: { input_ids: { shape: number[]; data: number[][] } }
      }
      expect(outputs.input_ids.shape).toEqual([8, 1024])
      expect(outputs.input_ids.data.flat()).toContain(0) // the end of a document
    } finally {
      server.kill()
    }
  })
})
