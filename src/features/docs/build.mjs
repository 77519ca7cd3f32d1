// Fills dist/docs with what /docs and /openapi.json serve: `node build.mjs docs`.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'

const OUT = 'dist/docs'
/** Swagger UI (Apache-2.0), as the package brings it; the bundle names its own parts' licences. */
const ASSETS = ['swagger-ui-bundle.js', 'swagger-ui.css', 'favicon-32x32.png']

const { resolve } = createRequire(import.meta.url)
const swaggerUi = dirname(resolve('@fastify/swagger-ui/package.json'))
mkdirSync(OUT, { recursive: true })
for (const name of ASSETS) cpSync(join(swaggerUi, 'static', name), join(OUT, name))
cpSync('src/features/docs/page', OUT, { recursive: true })
// The licence's own text goes with the files; TypeScript is under the same one.
cpSync(join(dirname(resolve('typescript/package.json')), 'LICENSE.txt'), join(OUT, 'LICENSE-APACHE-2.0.txt'))
writeFileSync(join(OUT, 'openapi.json'), JSON.stringify(parse(readFileSync('openapi.yaml', 'utf8'))))
