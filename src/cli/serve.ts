import { VARIABLES } from '../config.js'
import type { Command } from './command.js'

/** `inlet serve`: the service as `npm start` runs it. */
export const serve: Command = {
  name: 'serve',
  summary: `Starts the service, configured by the environment: ${VARIABLES.map(({ name }) => name).join(', ')}.`,
  usage: 'serve',
  examples: ['PORT=8000 inlet serve', 'ENCODING=o200k_base EMBEDDING_DIM=768 inlet serve'],
  flagGroups: [],
  maxFiles: 0,
  async run() {
    // The service handles these signals itself.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal)
    await import('../server.js')
  },
}
