import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { optionFields } from '../../src/checkpoints/embedding-request.js'
import { inFolder, runBuilt, SAMPLE, start } from './run-command.js'
import { run } from './run-here.js'

describe('tokenize --model', () => {
  const GPT2 = fileURLToPath(new URL('../goldens/tokenizers/gpt2.json', import.meta.url))

  it('takes the tokenizer of a folder, by its path or by the name in MODELS_DIR', async () => {
    await inFolder(async (folder) => {
      await mkdir(join(folder, 'org', 'small'), { recursive: true })
      const goldens = fileURLToPath(new URL('../goldens/models/gpt2/', import.meta.url))
      for (const file of ['config.json', 'model.safetensors'])
        await copyFile(join(goldens, file), join(folder, 'org', 'small', file))
      await copyFile(GPT2, join(folder, 'org', 'small', 'tokenizer.json'))
      const ids = async (...args: string[]) => {
        const { code, stdout, stderr } = await run(
          ['tokenize', '--json', ...args],
          { MODELS_DIR: folder },
          'a b',
        )
        expect([code, stderr]).toEqual([0, ''])
        return stdout.toString()
      }
      const byPath = await ids('--model', join(folder, 'org', 'small'))
      expect(await ids('--model', 'org/small')).toBe(byPath)
      expect(await ids('--model', 'default')).toBe(await ids())
      expect(byPath).not.toBe(await ids())
    })
  })

  it.each([
    [
      ['--model', 'nothing'],
      1,
      /^inlet: --model must be a folder of a model, or one of default, .*Given: nothing$/m,
    ],
    [['--model', 'tiny', '--encoding', 'gpt2'], 2, /^inlet: --encoding must not be given beside --model/],
  ])('refuses %j with %i', async (args, expected, message) => {
    const { code, stderr } = await run(['tokenize', ...args], {}, 'a')
    expect([code, stderr]).toEqual([expected, expect.stringMatching(message)])
  })
})

describe('tokenize', () => {
  it.skipIf(process.platform === 'win32')('reads a FIFO to its end', async () => {
    await inFolder(async (folder) => {
      const fifo = join(folder, 'fifo')
      execFileSync('mkfifo', [fifo])
      const [{ code, stdout }] = await Promise.all([
        run(['tokenize', fifo]),
        writeFile(fifo, 'Hello, world!'),
      ])
      expect([code, stdout.toString()]).toEqual([0, '15496\n11\n995\n0\n'])
    })
  })

  const IDS = [15496, 11, 995, 0, 220, 50256]
  const TEXT = 'Hello, world! <|endoftext|>'

  it('prints one id a line', async () => {
    const { code, stdout } = await runBuilt(['tokenize'], {}, TEXT)
    expect([code, stdout.toString()]).toEqual([0, `${IDS.join('\n')}\n`])
  })

  it('prints one JSON array with --json', async () => {
    const { code, stdout } = await run(['tokenize', '-', '--json'], {}, TEXT)
    expect([code, stdout.toString()]).toEqual([0, `${JSON.stringify(IDS)}\n`])
  })

  it('counts a file with --count, and writes to one with -o', async () => {
    await inFolder(async (folder) => {
      const file = join(folder, 'ids.json')
      expect((await run(['tokenize', SAMPLE, '--count'])).stdout.toString()).toBe('964\n')
      expect((await run(['tokenize', SAMPLE, '--json', '-o', file])).code).toBe(0)
      expect(JSON.parse(await readFile(file, 'utf8'))).toHaveLength(964)
      expect(await readdir(folder)).toEqual(['ids.json'])
    })
  })

  it('makes nothing of an empty text: no line, an empty array', async () => {
    expect((await run(['tokenize'])).stdout.toString()).toBe('')
    expect((await run(['tokenize', '--json'])).stdout.toString()).toBe('[]\n')
  })

  it('refuses what is not UTF-8, naming the byte, with 1', async () => {
    const { code, stderr } = await run(['tokenize'], {}, Uint8Array.of(0x61, 0xff))
    expect([code, stderr]).toEqual([1, 'inlet: stdin must be UTF-8: byte 1 is not.\n'])
  })

  it('ends with 130 on SIGINT while stdin is open', async () => {
    await inFolder(async (folder) => {
      const { child, ended } = start(['tokenize', '-', '-o', join(folder, 'ids.txt')])
      const moreThanAPipeHolds = Buffer.alloc(1 << 22, TEXT)
      await new Promise((resolve) => child.stdin.write(moreThanAPipeHolds, resolve)) // and not ended
      child.kill('SIGINT')
      expect((await ended).code).toBe(130)
      expect(await readdir(folder)).toEqual([])
    })
  })

  it('refuses an encoding that there is not with 2, naming those that there are', async () => {
    const { code, stderr } = await run(['tokenize', '--encoding', 'gpt9'], {}, TEXT)
    expect([code, stderr]).toEqual([2, expect.stringMatching(/--encoding .*cl100k_base.*gpt9/)])
  })
})

describe('the program', () => {
  it('prints the version of the package', async () => {
    const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
    const { code, stdout } = await runBuilt(['embed', '--version'])
    expect([code, stdout.toString()]).toEqual([0, `inlet ${JSON.parse(manifest).version}\n`])
    for (const args of [['--version'], ['-V']])
      expect(await run(args)).toMatchObject({ code: 0, stdout: Buffer.from('inlet\n') })
  })

  it('lists its commands and exit codes with --help', async () => {
    const { code, stdout } = await run(['--help'])
    expect(code).toBe(0)
    for (const name of ['embed', 'tokenize', 'serve']) expect(stdout.toString()).toMatch(linesWith(name))
    for (const exit of ['0', '1', '2', '130']) expect(stdout.toString()).toMatch(linesWith(exit))
  })

  it('lists every option of the interface as a flag with embed --help, and the exit codes', async () => {
    const { code, stdout } = await run(['embed', '--help'])
    const flags = [...stdout.toString().matchAll(/^ {2,}(?:-\w, )?--([a-z-]+)(?= |$)/gm)].map(
      ([, flag]) => flag,
    )
    const fields = Object.keys(optionFields).map((field) => field.replaceAll('_', '-'))
    expect(code).toBe(0)
    expect(fields.length).toBeGreaterThan(10)
    expect(flags).toEqual(expect.arrayContaining(fields))
    for (const exit of ['0', '1', '2', '130']) expect(stdout.toString()).toMatch(linesWith(exit))
  })

  it.each([
    ['no command', [], 'A command is needed'],
    ['a command that there is not', ['embedd'], 'embedd'],
    ['a flag that there is not', ['--verbose'], '--verbose'],
    ['a flag that the command has not', ['tokenize', '--stride', '4'], '--stride'],
    ['a file for serve', ['serve', 'a.txt'], 'a.txt'],
  ])('%s: 2, named, on stderr', async (_, args, named) => {
    const { code, stdout, stderr } = await (args.length === 0 ? runBuilt : run)(args)
    expect([code, stdout.length]).toEqual([2, 0])
    expect(stderr).toContain(named)
  })
})

describe('serve', () => {
  it('answers, and ends with 0 on SIGINT', async () => {
    const port = await freePort()
    const { child, ended } = start(['serve'], { HOST: '127.0.0.1', PORT: String(port), THREADS: '1' })
    try {
      expect(await firstStatus(`http://127.0.0.1:${port}/health/live`, () => child.exitCode !== null)).toBe(
        200,
      )
    } finally {
      child.kill('SIGINT')
    }
    expect((await ended).code).toBe(0)
  })

  it('ends with 1 where the environment is wrong, naming the variable', async () => {
    const { code, stderr } = await runBuilt(['serve'], { PORT: 'many' })
    expect([code, stderr]).toEqual([1, expect.stringContaining('PORT')])
  })
})

/** A line that starts with a word. */
function linesWith(word: string): RegExp {
  return new RegExp(`^ +${word} `, 'm')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** The status of the first answer; `undefined` where the process has ended before. */
async function firstStatus(url: string, hasEnded: () => boolean): Promise<number | undefined> {
  while (!hasEnded()) {
    const response = await fetch(url).catch(() => undefined)
    if (response !== undefined) return response.status
    await setTimeout(50)
  }
  return undefined
}

describe('a closed pipe', () => {
  const ending = async (args: readonly string[], cwd: string) => {
    const { child, ended } = start(args, {}, cwd)
    child.stdout.once('data', () => child.stdout.destroy())
    child.stderr.once('data', () => child.stderr.destroy())
    return (await ended).code
  }

  it('does not end a run: every shard is made, and the exit code tells it', async () => {
    await inFolder(async (folder) => {
      const names = Array.from({ length: 40 }, (_, i) => `${100 + i}.txt`)
      for (const name of names) await writeFile(join(folder, name), name)
      expect(await ending(['run', ...names, 'out', '--threads', '1'], folder)).toBe(0)
      expect(await readdir(join(folder, 'out', 'shards'))).toEqual(names)
      expect(await ending(['run', 'none.txt', ...names, 'out', '--threads', '1'], folder)).toBe(3)
    })
  })

  it('ends a list', async () => {
    await inFolder(async (folder) => {
      await writeFile(join(folder, 'long.txt'), 'a\n'.repeat(200_000))
      expect(await ending(['tokenize', 'long.txt'], folder)).toBe(0)
    })
  })
})
