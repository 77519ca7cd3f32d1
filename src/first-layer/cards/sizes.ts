export * from './card-json.js' // until the features import it from there
