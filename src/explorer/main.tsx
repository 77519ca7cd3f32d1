import { render } from 'preact'
import { App } from './app.js'
import { start } from './flow.js'

render(<App />, document.getElementById('page') as HTMLElement)
void start()
