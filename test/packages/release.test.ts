import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe as describeAlways, expect, it } from 'vitest'
// @ts-expect-error a module without types
import { publishing } from '../../release/commands.mjs'
// @ts-expect-error a module without types
import { isHere, makeRelease, writeSums } from '../../release/make.mjs'
// @ts-expect-error a module without types
import { changedFiles, namesOfOthers, notesOf, versionsOf } from '../../release/rules.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

const AUTHOR = ['-c', 'user.name=a', '-c', 'user.email=a@b']

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'release-test-'))
})
afterEach(() => rmSync(folder, { recursive: true }))
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

describeAlways('the versions of a release', () => {
  const PLACES: readonly (readonly [file: string, name: string, from: string, to: string])[] = [
    ['package-lock.json', 'package-lock.json', `"version": "${version}"`, '"version": "9.9.9"'],
    ['openapi.yaml', 'openapi.yaml', ` version: ${version}\n`, ' version: 9.9.9\n'],
    ['clients/typescript/package.json', 'clients/typescript/package.json', version, '9.9.9'],
    [
      'clients/python/pyproject.toml',
      'clients/python/pyproject.toml',
      `version = "${version}"`,
      'version = "9.9.9"',
    ],
    [
      'docker/helm/inlet/Chart.yaml',
      'docker/helm/inlet/Chart.yaml',
      `\nversion: ${version}`,
      '\nversion: 9.9.9',
    ],
    ['docker/helm/inlet/Chart.yaml', 'docker/helm/inlet/Chart.yaml (appVersion)', `"${version}"`, '"9.9.9"'],
    ['docker/bake.json', 'docker/bake.json', `"${version}"`, '"9.9.9"'],
    [
      ...['docker/kubernetes/base/kustomization.yaml', 'docker/kubernetes/base/kustomization.yaml'],
      ...[`newTag: "${version}"`, 'newTag: "9.9.9"'],
    ] as unknown as [string, string, string, string],
  ]

  it('are equal in this checkout', () => {
    expect(versionsOf(ROOT)).toEqual({ version, problems: [] })
  })

  it.each(PLACES)('must be that of package.json in %s (%s)', (file, name, from, to) => {
    for (const each of ['package.json', ...PLACES.map(([path]) => path)])
      cpSync(join(ROOT, each), join(folder, each))
    const text = readFileSync(join(ROOT, file), 'utf8')
    expect(text).toContain(from)
    write(file, text.replace(from, to))
    expect(versionsOf(folder).problems).toEqual([`${name} has version 9.9.9, package.json ${version}`])
  })
})

describeAlways('the notes of a release', () => {
  const page = (...sections: string[]) => ['# Changelog\n\nWords.\n\n', ...sections].join('')

  it('are what the changelog says below its version', () => {
    const changelog = page(
      '## [Unreleased]\n\n',
      '## [0.2.0] - 2026-11-23\n\n### Added\n\n- This.\n\n',
      '## [0.1.0]\n',
    )
    expect(notesOf(changelog, '0.2.0')).toEqual({ notes: '### Added\n\n- This.', problems: [] })
  })

  it.each([
    ['## [Unreleased]\n\n- This.\n', '- This.', ['CHANGELOG.md has no section "## [0.2.0] - DATE"']],
    ['## [0.2.0]\n\n- This.\n', '- This.', ['CHANGELOG.md gives 0.2.0 no date']],
    ['## [0.2.0] - 2026-11-23\n\n', '', ['CHANGELOG.md says nothing of 0.2.0']],
  ])('have a problem in %j', (section, notes, problems) => {
    expect(notesOf(page(section), '0.2.0')).toEqual({ notes, problems })
  })
})

if (!isHere('git')) console.warn('git is not there: what a release refuses of a checkout is not tested')
const describe = describeAlways.skipIf(!isHere('git'))

describe('a checkout', () => {
  const git = (...given: string[]) => execFileSync('git', [...AUTHOR, ...given], { cwd: folder })
  beforeEach(() => {
    git('init', '--quiet')
    write('.gitignore', 'build/\n')
    for (const name of ['kept', 'changed', 'gone', 'old name']) write(name, `${name}\n`.repeat(9))
    git('add', '.')
    git('commit', '--quiet', '--message', 'all')
  })

  it('is a commit and what git ignores', () => {
    write('build/file', '')
    expect(changedFiles(folder)).toEqual([])
  })

  it('is refused with the names of what differs', () => {
    write('changed', '')
    write('new/of mine', '')
    rmSync(join(folder, 'gone'))
    git('mv', 'old name', 'new name')
    const names = ['changed', 'gone', 'new name', 'new/of mine']
    expect(changedFiles(folder).sort()).toEqual(names.map((name) => `not of the commit: ${name}`))
  })

  it('is not released while it differs from its commit, and never without a flag', () => {
    for (const name of [
      'release',
      'package.json',
      'package-lock.json',
      'openapi.yaml',
      'CHANGELOG.md',
      'clients',
      'docker',
    ])
      cpSync(join(ROOT, name), join(folder, name), {
        recursive: true,
        filter: (path) => !path.includes('node_modules'),
      })
    const release = (...given: string[]) =>
      spawnSync(process.execPath, ['release/run.mjs', ...given], { cwd: folder, encoding: 'utf8' })
    const dirty = release('--dry-run')
    expect([dirty.status, dirty.stdout]).toEqual([1, ''])
    expect(dirty.stderr).toContain('release: not of the commit: CHANGELOG.md\n')
    for (const given of [[], ['--dry-run', '--publish'], ['--publish']]) {
      const { status, stderr } = release(...given)
      expect([status, stderr]).toEqual([2, expect.stringMatching(/^release: (give one of|--publish needs)/)])
    }
  })
})

describeAlways('the files of a release', () => {
  it('lack what no command is there for, by name', () => {
    write('package.json', '{"name":"a","version":"1.0.0","scripts":{"build":"true"}}')
    write('package-lock.json', '{"name":"a","version":"1.0.0","lockfileVersion":3,"packages":{}}')
    for (const given of [
      ['init', '--quiet'],
      ['add', '.'],
      [...AUTHOR, 'commit', '--quiet', '--message', 'all'],
    ])
      execFileSync('git', given, { cwd: folder })
    const made: string[] = []
    const parts = ['git', 'no-such-command'].map((needs) => ({
      needs,
      make: function part({ out }: { out: string }) {
        made.push(needs)
        writeFileSync(join(out, needs), needs)
      },
    }))
    const out = join(folder, 'out')
    const missing = makeRelease(folder, out, { version: '1.0.0', notes: '' }, parts)
    expect(missing).toEqual(['left out: part, for which no-such-command is not here'])
    expect(made).toEqual(['git'])
    expect(readdirSync(out).sort()).toEqual(['SHA256SUMS', 'git'])
    const worktrees = execFileSync('git', ['worktree', 'list'], { cwd: folder, encoding: 'utf8' })
    expect(worktrees.trim().split('\n')).toHaveLength(1)
  })

  it('have sums that sha256sum reads', () => {
    write('npm/a.tgz', 'a')
    write('b', 'b')
    writeSums(folder)
    writeSums(folder) // which does not name itself
    const sum = (text: string) => createHash('sha256').update(text).digest('hex')
    expect(readFileSync(join(folder, 'SHA256SUMS'), 'utf8')).toBe(`${sum('b')}  b\n${sum('a')}  npm/a.tgz\n`)
  })

  it('are published under names that are free or one’s own', () => {
    const registry: Record<string, string> = {
      mine: 'me <me@a.org>\n',
      other: 'you <you@b.org>\nthey <t@c.org>\n',
    }
    const ask = (command: string, _: string, name: string) => {
      if (command === 'whoami') return 'me\n'
      if (registry[name] === undefined) throw { stderr: 'npm error code E404' }
      return registry[name]
    }
    expect(namesOfOthers(['free', 'mine'], ask)).toEqual([])
    expect(namesOfOthers(['free', 'other'], ask)).toEqual([
      "other on npm is another's, not me's: you <you@b.org>, they <t@c.org>",
    ])
    const offline = () => {
      throw { stderr: 'npm error network' }
    }
    expect(() => namesOfOthers(['free'], offline)).toThrow('npm owner ls free failed: npm error network')
  })

  it('are published by commands that name them, the tag last', () => {
    const commands = publishing({
      version: '0.2.0',
      out: 'build/release/0.2.0',
      registry: 'registry.example/team',
    })
    const lines = commands.map((command: string[]) => command.join(' '))
    expect(lines).toContain('npm publish build/release/0.2.0/npm/inlet-client-0.2.0.tgz')
    expect(lines[0]).toBe('npm publish build/release/0.2.0/npm/inlet-lm-0.2.0.tgz')
    expect(lines).toContain(
      'helm push build/release/0.2.0/helm/inlet-0.2.0.tgz oci://registry.example/team/charts',
    )
    // The notes have headings, which git takes for comments unless told.
    const tag = 'git tag --annotate v0.2.0 --file build/release/0.2.0/NOTES.md --cleanup=verbatim'
    expect(lines.slice(-2)).toEqual([tag, 'git push origin v0.2.0'])
  })
})
