// The process's entry: signals have their handlers before the service's modules are found and read.
import './service/process/early-stop.js'

await import('./service/start.js')
