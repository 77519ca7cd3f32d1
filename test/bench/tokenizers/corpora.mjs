import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const CORPORA = join(ROOT, '../shared/data/corpora')
const MODULES = join(ROOT, 'node_modules')
/** UTF-16 units of a corpus at most. */
const ENOUGH = 1_300_000
/** A larger file is a bundle or a table. */
const MAX_FILE_BYTES = 150_000

/** Files below `folder` whose name fits, in the order of their paths. */
function* files(folder, fits) {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name)
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat?.isDirectory()) yield* files(path, fits)
    else if (stat && fits(name) && stat.size <= MAX_FILE_BYTES) yield path
  }
}

/** A text of `ENOUGH` units from files spread evenly over all that fit. */
function gathered(folder, fits) {
  const paths = [...files(folder, fits)]
  const step = Math.max(1, Math.floor(paths.length / 300))
  let text = ''
  for (let offset = 0; offset < step && text.length < ENOUGH; offset++) {
    for (let i = offset; i < paths.length && text.length < ENOUGH; i += step)
      text += readFileSync(paths[i], 'utf8')
  }
  return text.slice(0, ENOUGH)
}

/** TypeScript's messages in its thirteen languages, as much of each. */
function translations() {
  const folder = join(MODULES, 'typescript/lib')
  const texts = readdirSync(folder)
    .sort()
    .map((language) => join(folder, language, 'diagnosticMessages.generated.json'))
    .filter((path) => existsSync(path))
    .map((path) => Object.values(JSON.parse(readFileSync(path, 'utf8'))).join('\n'))
  return texts.map((text) => text.slice(0, Math.floor(ENOUGH / texts.length))).join('\n')
}

function corpusFile(name, otherwise) {
  const path = join(CORPORA, name)
  return existsSync(path) ? readFileSync(path, 'utf8') : otherwise()
}

/** Whether the measuring texts are there; otherwise others are taken from installed packages. */
const hasCorpora = existsSync(CORPORA)

/** A bench prints this if the texts are absent. */
export const TEXTS_NOTE = hasCorpora
  ? ''
  : 'The texts are those of the packages in node_modules: READMEs, scripts, TypeScript’s messages in its languages, package.json files.'

/** Kinds of text, by name. */
export const CORPUS_NAMES = ['prose', 'code', 'many languages', 'JSON and logs']

export function corpus(name) {
  switch (name) {
    case 'prose':
      return corpusFile('prose.txt', () => gathered(MODULES, (file) => /\.md$/i.test(file)))
    case 'code':
      return gathered(MODULES, (file) => /\.[cm]?[jt]s$/.test(file) && !/\.min\./.test(file))
    case 'many languages':
      return corpusFile('multi.txt', translations)
    case 'JSON and logs':
      return corpusFile('jsonlog.txt', () => gathered(MODULES, (file) => file === 'package.json'))
  }
}
