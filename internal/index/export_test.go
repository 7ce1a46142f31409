package index

// OpenChecked opens the file of an index, as an index does.
var OpenChecked = openChecked
