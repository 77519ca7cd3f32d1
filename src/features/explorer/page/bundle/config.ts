import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin, RolldownOptions } from 'rolldown'
import { SCHEMES } from '../schemes.js'

const ROOM = join(import.meta.dirname, '..')

/**
 * Writes `index.html` with the hashed names of what it links, and the style as one file: those of `style/` in the
 * order of their names.
 */
const page: Plugin = {
  name: 'page',
  load: (id) =>
    id.endsWith('/page/schemes.ts') ? `export const SCHEMES = ${JSON.stringify(SCHEMES)}` : undefined,
  generateBundle(_, bundle) {
    const style = this.getFileName(
      this.emitFile({ type: 'asset', name: 'explorer.css', source: minified(styles()) }),
    )
    const entry = Object.values(bundle).find((output) => output.type === 'chunk' && output.isEntry)
    const values: Record<string, string> = { style, script: entry?.fileName ?? '' }
    const source = readFileSync(join(ROOM, 'html/index.html'), 'utf8').replace(
      /\{\{(\w+)\}\}/g,
      (_, name) => values[name],
    )
    this.emitFile({ type: 'asset', fileName: 'index.html', source })
  },
}

/** The explorer: the page at `/` and the files that it links, each with a hash of its content in its name. */
export const explorer: RolldownOptions = {
  input: { explorer: 'src/features/explorer/page/main.tsx' },
  platform: 'browser',
  plugins: [licences(), page],
  tsconfig: 'src/features/explorer/page/tsconfig.json',
  resolve: { extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } },
  moduleTypes: { '.txt': 'text' },
  transform: { target: 'es2022' },
  output: {
    dir: 'dist/explorer',
    minify: true,
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: 'chunk-[name]-[hash].js',
    assetFileNames: '[name]-[hash][extname]',
  },
}

/**
 * Writes the licences of the bundled packages to `LICENSES.txt` beside the bundle.
 *
 * @param copied folders of packages of which the build copies data, besides those that it bundles
 */
export function licences(copied: readonly string[] = []): Plugin {
  return {
    name: 'licences',
    generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((output) =>
        output.type === 'chunk' ? output.moduleIds : [],
      )
      const packages = modules.flatMap(
        (id) => /\/[^?]*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [],
      )
      const folders = [...new Set([...packages, ...copied])].sort()
      this.emitFile({
        type: 'asset',
        fileName: 'LICENSES.txt',
        source: folders.map(licenceOf).join('\n\n'),
      })
    },
  }
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file))
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim())
  return [`== ${name} ${version}: ${license}`, ...texts].join('\n\n')
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
