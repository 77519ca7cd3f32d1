import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { packageFile } from '../../first-layer/package-file.js'
import { InletError, shown } from '../../service/answer/error-table.js'
import { preferred } from '../../service/answer/formats/registry.js'
import { pagePolicy, staticFile } from '../../service/answer/static-files.js'
import type { FeatureApp } from '../../service/feature.js'
import { isOperatorsPath } from '../../service/request/checks/operators.js'

const JSON_TYPE = 'application/json'
const HTML_TYPE = 'text/html'

/** The media types of `GET /`; `Accept: any type` gets the first, the list of routes. */
const PRODUCES = [JSON_TYPE, HTML_TYPE]

const POLICY = pagePolicy('data: blob:', "worker-src 'self'")

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/** The files' names have a hash of their content: what was loaded once stays good. */
const FOR_EVER = 'public, max-age=31536000, immutable'

const FOLDER = 'dist/explorer'

/** `GET /`: the explorer for those who ask for HTML, the list of routes for others. `GET /explorer/{file}`: its files. */
export function addExplorerRoutes(app: FeatureApp): void {
  const root = {
    schema: { operationId: 'getRoot' },
    config: { needs: 'nothing' as const, media: { produces: PRODUCES } },
  }
  app.get('/', root, async (request, reply) => {
    reply.header('vary', 'accept').header('cache-control', 'no-cache')
    if (preferred(request.headers.accept, PRODUCES) === JSON_TYPE) {
      const all = await routeList()
      const isShown = (route: Route) => !route.isForOperators || !request.server.hidesOperators
      return { routes: all.filter(isShown).map(({ method, path, summary }) => ({ method, path, summary })) }
    }
    return sendPage(request, reply)
  })
  app.get<{ Params: { file: string } }>(
    '/explorer/:file',
    { config: { needs: 'nothing' } },
    async (request, reply) => {
      const { file } = request.params
      const type = TYPES[extname(file)]
      if (type === undefined || !(await fileNames()).includes(file)) {
        throw new InletError('not_found', `The explorer has no file ${shown(file)}.`)
      }
      return reply
        .type(type)
        .header('cache-control', FOR_EVER)
        .send(await staticFile(`${FOLDER}/${file}`))
    },
  )
}

async function sendPage(request: FastifyRequest, reply: FastifyReply) {
  const page = await staticFile(`${FOLDER}/index.html`)
  const tag = `"${createHash('sha256').update(page).digest('base64url').slice(0, 22)}"`
  reply.header('etag', tag).header('content-security-policy', POLICY)
  const known = request.headers['if-none-match']?.split(',').map((each) => each.trim().replace(/^W\//, ''))
  if (known?.includes(tag) || known?.includes('*')) return reply.code(304).send()
  return reply.type('text/html; charset=utf-8').send(page)
}

let names: Promise<string[]> | undefined

/** Names of the files, read at the first request for one. */
function fileNames(): Promise<string[]> {
  names ??= readdir(packageFile(FOLDER))
  names.catch(() => {
    names = undefined
  })
  return names
}

interface Route {
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly isForOperators: boolean
}

interface DocumentedOperation {
  readonly operationId?: string
  readonly summary?: string
  readonly security?: readonly object[]
}

let routes: Promise<Route[]> | undefined

/** The routes of the interface's document. */
function routeList(): Promise<Route[]> {
  routes ??= readRoutes()
  routes.catch(() => {
    routes = undefined
  })
  return routes
}

async function readRoutes(): Promise<Route[]> {
  const { paths } = JSON.parse(await readFile(packageFile('dist/docs/openapi.json'), 'utf8')) as {
    paths: Record<string, Record<string, DocumentedOperation>>
  }
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { operationId, summary = '', security = [] }]) => {
      const isForOperators = isOperatorsPath(path) || security.some((each) => 'admin' in each)
      return operationId === undefined
        ? []
        : [{ method: method.toUpperCase(), path, summary, isForOperators }]
    }),
  )
}
