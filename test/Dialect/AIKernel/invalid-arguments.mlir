// RUN: aik-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{argument 0 has 'aikernel.weight' = 1 : i64 but it takes no value}}
func.func private @case(tensor<?x8xf32> {aikernel.weight = 1 : i64})

// -----

// expected-error @+1 {{argument 0 has type 'i64' but a weight is a tensor}}
func.func private @case(i64 {aikernel.weight})

// -----

// expected-error @+1 {{argument 0 has 'aikernel.donate' = "y" but it takes the number of a result, an i64}}
func.func private @case(tensor<?x8xf32> {aikernel.donate = "y"}) -> tensor<?x8xf32>

// -----

// expected-error @+1 {{argument 0 is donated to result 1 but the function has 1 results}}
func.func private @case(tensor<?x8xf32> {aikernel.donate = 1 : i64}) -> tensor<?x8xf32>

// -----

// expected-error @+1 {{argument 0 has type 'tensor<?x8xf32>' but is donated to result 0 of type 'tensor<4x8xf32>'}}
func.func private @case(tensor<?x8xf32> {aikernel.donate = 0 : i64}) -> tensor<4x8xf32>

// -----

// expected-error @+1 {{argument 1 is donated to result 0 but argument 0 already is}}
func.func private @case(tensor<?x8xf32> {aikernel.donate = 0 : i64}, tensor<?x8xf32> {aikernel.donate = 0 : i64}) -> tensor<?x8xf32>

// -----

// expected-error @+1 {{argument 0 has 'aikernel.name' = 3 : i64 but a name is a string of 1 to 255 characters}}
func.func private @case(tensor<?x8xf32> {aikernel.name = 3 : i64})

// -----

// expected-error @+1 {{argument 0 has 'aikernel.name' = "" but a name is a string of 1 to 255 characters}}
func.func private @case(tensor<?x8xf32> {aikernel.name = ""})

// -----

// expected-error @+1 {{argument 1 is named "x" but argument 0 already is}}
func.func private @case(tensor<?x8xf32> {aikernel.name = "x"}, tensor<?x8xf32> {aikernel.name = "x"})

// -----

// expected-error @+1 {{result 1 is named "y" but result 0 already is}}
func.func private @case() -> (tensor<?x8xf32> {aikernel.name = "y"}, tensor<?x8xf32> {aikernel.name = "y"})

// -----

// expected-error @+1 {{argument 0 has 'aikernel.min' = 1 : i64 but it takes an array<i64: ...>}}
func.func private @case(tensor<?x8xf32> {aikernel.min = 1 : i64})

// -----

// expected-error @+1 {{argument 0 has 1 values in 'aikernel.max' but type 'tensor<?x8xf32>'}}
func.func private @case(tensor<?x8xf32> {aikernel.max = array<i64: 4>})

// -----

// expected-error @+1 {{argument 0 has 'aikernel.multiple_of' 0 in dimension 0 but the least is 1}}
func.func private @case(tensor<?x8xf32> {aikernel.multiple_of = array<i64: 0, 1>})

// -----

// expected-error @+1 {{argument 0 has 'aikernel.min' -1 in dimension 0 but the least is 0}}
func.func private @case(tensor<?x8xf32> {aikernel.min = array<i64: -1, 1>})

// -----

// expected-error @+1 {{argument 0 has 'aikernel.min' 9 but size 8 in dimension 1}}
func.func private @case(tensor<?x8xf32> {aikernel.min = array<i64: 1, 9>})

// -----

// expected-error @+1 {{argument 0 has 'aikernel.max' 7 but size 8 in dimension 1}}
func.func private @case(tensor<?x8xf32> {aikernel.max = array<i64: -1, 7>})

// -----

// expected-error @+1 {{argument 0 has 'aikernel.multiple_of' 3 but size 8 in dimension 1}}
func.func private @case(tensor<?x8xf32> {aikernel.multiple_of = array<i64: 1, 3>})

// -----

// expected-error @+1 {{argument 0 has 'aikernel.min' 5 but 'aikernel.max' 4 in dimension 0}}
func.func private @case(tensor<?x8xf32> {aikernel.min = array<i64: 5, 0>, aikernel.max = array<i64: 4, -1>})

// -----

// expected-error @+1 {{argument 0 has the unknown attribute 'aikernel.wieght' but the known ones are weight, donate, name, min, max and multiple_of}}
func.func private @case(tensor<?x8xf32> {aikernel.wieght})

// -----

// expected-error @+1 {{result 0 has the unknown attribute 'aikernel.weight' but results take only 'aikernel.name'}}
func.func private @case() -> (tensor<?x8xf32> {aikernel.weight})

// -----

// expected-error @+1 {{but a name is UTF-8 without control characters and '='}}
func.func private @case(tensor<?x8xf32> {aikernel.name = "a\0Ab"})

// -----

// expected-error @+1 {{but a name is UTF-8 without control characters and '='}}
func.func private @case(tensor<?x8xf32> {aikernel.name = "a\7Fb"})

// -----

// expected-error @+1 {{but a name is UTF-8 without control characters and '='}}
func.func private @case(tensor<?x8xf32> {aikernel.name = "a\00b"})

// -----

// expected-error @+1 {{but a name is UTF-8 without control characters and '='}}
func.func private @case(tensor<?x8xf32> {aikernel.name = "a\C3("})

// -----

// expected-error @+1 {{argument 0 has 'aikernel.name' = "a=b" but a name is UTF-8 without control characters and '='}}
func.func private @case(tensor<?x8xf32> {aikernel.name = "a=b"})

// -----

// expected-error @+1 {{result 0 has 'aikernel.name' = "a=b" but a name is UTF-8 without control characters and '='}}
func.func private @case() -> (tensor<?x8xf32> {aikernel.name = "a=b"})

// -----

// expected-error @+1 {{argument 0 is named "arg1" but that is how argument 1 is called when it has no name}}
func.func private @case(tensor<?x8xf32> {aikernel.name = "arg1"}, tensor<?x8xf32>)

// -----

// expected-error @+1 {{result 1 is named "result0" but that is how result 0 is called when it has no name}}
func.func private @case() -> (tensor<?x8xf32>, tensor<?x8xf32> {aikernel.name = "result0"})

// -----

// Names of numbers that nobody has, and of one's own.
func.func private @case(tensor<?x8xf32> {aikernel.name = "arg7"}, tensor<?x8xf32> {aikernel.name = "arg1"}, tensor<?x8xf32> {aikernel.name = "arg01"}) -> (tensor<?x8xf32> {aikernel.name = "arg0"})

// -----

// expected-error @+1 {{argument 0 has both 'aikernel.weight' and 'aikernel.donate' but a weight keeps its contents}}
func.func private @case(tensor<?x8xf32> {aikernel.weight, aikernel.donate = 0 : i64}) -> tensor<?x8xf32>
