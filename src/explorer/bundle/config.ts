import type { RolldownOptions } from 'rolldown'
import { licences } from './licences.js'
import { page } from './page.js'

/** The explorer: the page at `/` and the files that it links, each with a hash of its content in its name. */
export const explorer: RolldownOptions = {
  input: { explorer: 'src/explorer/main.tsx' },
  platform: 'browser',
  plugins: [licences(), page],
  tsconfig: 'src/explorer/tsconfig.json',
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
