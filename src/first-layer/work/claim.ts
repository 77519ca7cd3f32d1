export * from './drive.js' // until the features import it from there
