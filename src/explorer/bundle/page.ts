import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'rolldown'

const ROOM = join(import.meta.dirname, '..')

/**
 * Writes `index.html` with the hashed names of what it links, and the style as one file: those of `style/` in the
 * order of their names. The answers of the first preset stand in the page as data, so that it paints before any call.
 */
export const page: Plugin = {
  name: 'page',
  generateBundle(_, bundle) {
    const style = this.getFileName(
      this.emitFile({ type: 'asset', name: 'explorer.css', source: minified(styles()) }),
    )
    const nameOf = (entry: string) =>
      Object.values(bundle).find(
        (output) => output.type === 'chunk' && output.isEntry && output.name === entry,
      )?.fileName ?? ''
    const values: Record<string, string> = {
      style,
      script: nameOf('explorer'),
      worker: nameOf('pca-worker'),
      recording: readFileSync(join(ROOM, 'first-paint/recording.json'), 'utf8')
        .trim()
        .replaceAll('<', '\\u003c'),
    }
    // The recording's place is a string in an array, so that the template is HTML and JSON by itself.
    const source = readFileSync(join(ROOM, 'page/index.html'), 'utf8').replace(
      /\["\{\{recording\}\}"\]|\{\{(\w+)\}\}/g,
      (_, name = 'recording') => values[name],
    )
    this.emitFile({ type: 'asset', fileName: 'index.html', source })
  },
}

function styles(): string {
  const folder = join(ROOM, 'style')
  return readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
}

/** Without comments, and without the spaces at the beginning of lines. */
function minified(css: string): string {
  return css
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\s*\n\s*/g, '\n')
    .trim()
}
