import { z } from 'zod'
import { object } from '../../service/document/components.js'
import { answer, type Operations } from '../../service/document/operation.js'

export const tag = 'Service'

const routes = object('RouteList', {
  routes: z.array(object('Route', { method: z.string(), path: z.string(), summary: z.string() })),
})

export const operations: Operations = {
  getRoot: {
    summary: 'The explorer, or the list of routes',
    description:
      'To those who ask for HTML, the explorer: a page that shows every stage of a text. To others, the routes of this document.',
    answers: { 200: answer(routes, 'The explorer, or the list of routes') },
  },
}
