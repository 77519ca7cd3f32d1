import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'rolldown'

const ROOM = join(import.meta.dirname, '..')

/**
 * Writes `index.html` with the hashed names of what it links, and the style as one file: those of `style/` in the
 * order of their names.
 */
export const page: Plugin = {
  name: 'page',
  generateBundle(_, bundle) {
    const style = this.getFileName(
      this.emitFile({ type: 'asset', name: 'explorer.css', source: minified(styles()) }),
    )
    const entry = Object.values(bundle).find((output) => output.type === 'chunk' && output.isEntry)
    const values: Record<string, string> = { style, script: entry?.fileName ?? '' }
    const source = readFileSync(join(ROOM, 'page/index.html'), 'utf8').replace(
      /\{\{(\w+)\}\}/g,
      (_, name) => values[name],
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
