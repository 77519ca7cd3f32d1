export * from './wait.js' // until the features import it from there
