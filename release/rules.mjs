// What a release must be, as functions of a checkout's folder: each gives the sentences that stand in its way.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const json = (text) => JSON.parse(text)
const lineOf = (pattern) => (text) => pattern.exec(text)?.[1]

/** Every place that says which version this is. */
const PLACES = [
  { file: 'package.json', read: (text) => json(text).version },
  { file: 'package-lock.json', read: (text) => json(text).version },
  { file: 'openapi.yaml', read: lineOf(/^info:\n(?: .*\n)*? version: (.+)$/m) },
  { file: 'clients/typescript/package.json', read: (text) => json(text).version },
  { file: 'clients/python/pyproject.toml', read: lineOf(/^version = "(.+)"$/m) },
  { file: 'docker/helm/inlet/Chart.yaml', read: lineOf(/^version: (.+)$/m) },
  { file: 'docker/helm/inlet/Chart.yaml', of: 'appVersion', read: lineOf(/^appVersion: "(.+)"$/m) },
  { file: 'docker/bake.json', read: (text) => json(text).variable.VERSION.default },
  { file: 'docker/kubernetes/base/kustomization.yaml', read: lineOf(/newTag: "(.+)"/) },
]

/** The version of package.json, and the places that have another one. */
export function versionsOf(folder) {
  const found = PLACES.map(({ file, of, read }) => {
    const name = of === undefined ? file : `${file} (${of})`
    return { name, version: read(readFileSync(join(folder, file), 'utf8')) ?? 'none' }
  })
  const [{ version }, ...others] = found
  const wrong = others.filter((each) => each.version !== version)
  return {
    version,
    problems: wrong.map((each) => `${each.name} has version ${each.version}, package.json ${version}`),
  }
}

/**
 * The npm packages whose names are another's: known to the registry, and not to the one who is logged in. A name that
 * the registry does not know is free.
 *
 * @param ask runs npm with these arguments, gives what it prints, and throws an error with its `stderr`
 */
export function namesOfOthers(names, ask) {
  const answer = (...args) => {
    try {
      return ask(...args)
    } catch ({ stderr = '' }) {
      if (/E404/.test(stderr)) return undefined
      throw new Error(`npm ${args.join(' ')} failed: ${stderr.trim()}`)
    }
  }
  const taken = names
    .map((name) => ({ name, owners: answer('owner', 'ls', name) }))
    .filter(({ owners }) => owners !== undefined)
  if (taken.length === 0) return []
  const me = ask('whoami').trim()
  return taken
    .filter(({ owners }) => !owners.split('\n').some((line) => line.split(' ')[0] === me))
    .map(
      ({ name, owners }) =>
        `${name} on npm is another's, not ${me}'s: ${owners.trim().replaceAll('\n', ', ')}`,
    )
}

/** Files that differ from the commit, or that git does not know: what is released is a commit. */
export function changedFiles(folder) {
  const given = ['status', '--porcelain', '--untracked-files=all', '-z']
  const entries = execFileSync('git', given, { cwd: folder, encoding: 'utf8' }).split('\0')
  // Of a file with a new name the old one follows, without a status.
  const isEntry = (text, i) => text !== '' && !/^[RC]/.test(entries[i - 1] ?? '')
  return entries.filter(isEntry).map((text) => `not of the commit: ${text.slice(3)}`)
}

/**
 * What CHANGELOG.md says of a version: the text below `## [1.2.3] - 2026-01-31`. Where it has no such section, the
 * text below `## [Unreleased]`, and the problem.
 */
export function notesOf(changelog, version) {
  const sections = changelog.split(/^(?=## \[)/m)
  const find = (name) => sections.find((each) => each.startsWith(`## [${name}]`))
  const text = (section) => section.slice(section.indexOf('\n') + 1).trim()
  const own = find(version)
  if (own === undefined) {
    const notes = text(find('Unreleased') ?? '\n')
    return { notes, problems: [`CHANGELOG.md has no section "## [${version}] - DATE"`] }
  }
  const problems = []
  if (!/^## \[[^\]]+\] - \d{4}-\d{2}-\d{2}\n/.test(own))
    problems.push(`CHANGELOG.md gives ${version} no date`)
  if (text(own) === '') problems.push(`CHANGELOG.md says nothing of ${version}`)
  return { notes: text(own), problems }
}
