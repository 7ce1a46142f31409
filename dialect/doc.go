// Package dialect names the four dialects in which sessions are written: cambium (the
// published format, P1), pi 0.87.1, omp 18.2.3 and xcsh 17.4.4.
package dialect
