import type { FastifyReply } from 'fastify'
import { FORMATS } from '../../answer/formats/registry.js'
import type { Media } from '../../request/checks/media.js'

/** Media type → the name of its format in metrics. All other media types are `other`. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ...FORMATS.flatMap(({ name, mediaTypes }) => mediaTypes.map((type) => [type, name] as const)),
  ['text/plain', 'text'],
  ['text/html', 'html'],
  ['application/yaml', 'yaml'],
])

/** The name of an answer's format, from a closed list. */
export function answerFormat(reply: FastifyReply): string {
  const type = reply.getHeader('content-type')
  if (type === undefined) return 'none'
  return formatName(String(type))
}

/** Every format that a route can answer in. */
export function routeFormats(media: Media | undefined): readonly string[] {
  if (media?.produces === 'tensors') return FORMATS.map(({ name }) => name)
  const types = media?.produces ?? ['application/json']
  return [...new Set(types.map((type) => formatName(type)))]
}

/** `text/plain; charset=utf-8` → `text`. */
function formatName(type: string): string {
  return NAMES.get(type) ?? NAMES.get(type.split(';', 1)[0]) ?? 'other'
}
