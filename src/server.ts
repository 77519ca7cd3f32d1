// The process's entry: signals have their handlers before the service's modules are found and read.
import './early-stop.js'

await import('./service.js')
