// The process's entry: signals have their handlers before the service's modules are found and read.
import './service/process/early-stop.js'

const { start } = await import('./service/start.js')
await start()
