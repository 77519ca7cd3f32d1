// Makes dist/site, a page for any static host: `npm run build:site`.
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'rolldown'
import { loadConfig } from 'rolldown/config'
import { compileKernels } from '../src/first-layer/kernels/assembly/build.mjs'
import { writeDocs } from './docs.mjs'

process.chdir(join(import.meta.dirname, '..'))
const { worker, pages, SITE, ONE_THREAD } = await loadConfig('site/bundle.ts')
rmSync(SITE, { recursive: true, force: true })
mkdirSync('build/site', { recursive: true })
mkdirSync(join(SITE, 'ranks'), { recursive: true })
await compileKernels('build/site', ONE_THREAD, false)
cpSync('dist/ranks/gpt2.bin', join(SITE, 'ranks/gpt2.bin'))
const { output } = await build(worker)
for (const options of pages(output[0].fileName)) await build(options)

/** The policy of a service's page, as a host without headers can give it. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'"
const page = join(SITE, 'index.html')
renameSync(join(SITE, 'explorer/index.html'), page)
const html = readFileSync(page, 'utf8')
  .replace(
    '<meta name="viewport"',
    `<meta http-equiv="content-security-policy" content="${POLICY}">\n    <meta name="viewport"`,
  )
  .replace('href="docs"', 'href="docs/api.html"')
  .replace(' · <a href="openapi.json">as a document</a>', '')
writeFileSync(page, html)
writeDocs(
  join(SITE, 'docs'),
  readdirSync('docs').filter((name) => name.endsWith('.md')),
)
console.log(`${SITE}: made`)
