import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { InletError, shown } from '../../service/answer/error-table.js'
import { pagePolicy, staticFile } from '../../service/answer/static-files.js'
import type { Feature, FeatureApp } from '../../service/feature.js'
import { preferred } from '../../service/request/checks/head-checks.js'
import { knownTags } from '../../service/request/entity-tags.js'

/** `/`: the page that shows every stage of a text. */
export const explorer: Feature = { name: 'explorer', routes: addRoutes }

const JSON_TYPE = 'application/json'

/** The media types of `GET /`; `Accept: any type` gets the first, the list of routes. */
const PRODUCES = [JSON_TYPE, 'text/html']

const POLICY = pagePolicy('data: blob:', "worker-src 'self'")

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/** The files' names have a hash of their content: what was loaded once stays good. */
const FOR_EVER = 'public, max-age=31536000, immutable'

const FOLDER = 'dist/explorer'

/** `GET /`: the explorer for those who ask for HTML, the list of routes for others. `GET /explorer/{file}`: its files. */
function addRoutes(app: FeatureApp): void {
  const root = {
    schema: { operationId: 'getRoot' },
    config: { needs: 'nothing' as const, media: { produces: PRODUCES } },
  }
  app.get('/', root, async (request, reply) => {
    reply.header('cache-control', 'no-cache')
    if (preferred(request.headers.accept, PRODUCES) !== JSON_TYPE) return sendPage(request, reply)
    const all = await routeList()
    const { hidesOperators, operatorsRoutes } = request.server
    const isShown = ({ method, path }: Route) =>
      !hidesOperators || !operatorsRoutes.has(`${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`)
    return { routes: all.filter(isShown) }
  })
  app.get<{ Params: { file: string } }>(
    '/explorer/:file',
    { config: { needs: 'nothing' } },
    async (request, reply) => {
      const { file } = request.params
      const type = TYPES[extname(file)]
      const content = type === undefined || /[^\w.-]/.test(file) ? undefined : await fileContent(file)
      if (content === undefined) throw new InletError('not_found', `The explorer has no file ${shown(file)}.`)
      return reply.type(type!).header('cache-control', FOR_EVER).send(content)
    },
  )
}

async function fileContent(file: string): Promise<Buffer | undefined> {
  return staticFile(`${FOLDER}/${file}`).catch((error) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
}

async function sendPage(request: FastifyRequest, reply: FastifyReply) {
  const page = await staticFile(`${FOLDER}/index.html`)
  const tag = `"${createHash('sha256').update(page).digest('base64url').slice(0, 22)}"`
  reply.header('etag', tag).header('content-security-policy', POLICY)
  if (knownTags(request)(tag)) return reply.code(304).send()
  return reply.type('text/html; charset=utf-8').send(page)
}

type Route = ReturnType<typeof routesOf>[number]

let routes: readonly Route[] | undefined

/** The routes of the interface's document. */
async function routeList(): Promise<readonly Route[]> {
  routes ??= routesOf((await staticFile('dist/docs/openapi.json')).toString())
  return routes
}

function routesOf(json: string) {
  type Operation = { readonly operationId?: string; readonly summary?: string }
  const { paths } = JSON.parse(json) as { paths: Record<string, Record<string, Operation>> }
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { operationId }]) => operationId !== undefined)
      .map(([method, { summary = '' }]) => ({ method: method.toUpperCase(), path, summary })),
  )
}
