// Prints the rows of a Parquet file in the normal form of the suite: main FILE LEFT_OUT
package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

func main() {
	var leftOut []string
	check(json.Unmarshal([]byte(os.Args[2]), &leftOut))
	left := map[string][]any{}
	for _, name := range leftOut {
		left[name] = []any{}
	}
	path, err := os.Open(os.Args[1])
	check(err)
	stat, err := path.Stat()
	check(err)
	file, err := parquet.OpenFile(path, stat.Size())
	check(err)
	reader := parquet.NewGenericReader[any](file)
	found := make([]any, file.NumRows())
	if count, err := reader.Read(found); count != len(found) || err != nil && !errors.Is(err, io.EOF) {
		panic(fmt.Sprint(count, " rows: ", err))
	}
	columns, rows := []string{}, [][]any{}
	for _, field := range file.Schema().Fields() {
		if left[field.Name()] == nil {
			columns = append(columns, field.Name())
		}
	}
	for _, each := range found {
		row := []any{}
		for _, field := range file.Schema().Fields() {
			value := normal(reflect.ValueOf(each.(map[string]any)[field.Name()]), field)
			if left[field.Name()] == nil {
				row = append(row, value)
			} else {
				left[field.Name()] = append(left[field.Name()], value)
			}
		}
		rows = append(rows, row)
	}
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{"columns": columns, "rows": rows, "apart": left}))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// normal returns a value as pages have it, but numbers as text.
func normal(value reflect.Value, of parquet.Node) any {
	for value.Kind() == reflect.Pointer && value.Type() != reflect.TypeFor[*big.Float]() || value.Kind() == reflect.Interface {
		value = value.Elem()
	}
	if !value.IsValid() {
		return nil
	}
	if of.Leaf() {
		return scalar(value, of)
	}
	_, isMap := logicalOf(of).(*format.MapType)
	_, isList := logicalOf(of).(*format.ListType)
	switch {
	case isList && value.Kind() == reflect.Struct: // as a value of a map
		items := []any{}
		for index := range value.Field(0).Len() {
			items = append(items, normal(value.Field(0).Index(index).Field(0), of.Fields()[0].Fields()[0]))
		}
		return items
	case value.Kind() == reflect.Slice:
		items := []any{}
		for index := range value.Len() {
			items = append(items, normal(value.Index(index), of.Fields()[0].Fields()[0]))
		}
		return items
	case isMap:
		members := map[string]any{}
		for _, key := range value.MapKeys() {
			members[key.String()] = normal(value.MapIndex(key), of.Fields()[0].Fields()[1])
		}
		return members
	default:
		members := map[string]any{}
		for index, field := range of.Fields() {
			if value.Kind() == reflect.Struct { // as a value of a map
				members[field.Name()] = normal(value.Field(index), field)
			} else {
				members[field.Name()] = normal(value.MapIndex(reflect.ValueOf(field.Name())), field)
			}
		}
		return members
	}
}

// logicalOf returns the logical type of a node, nil if it has none.
func logicalOf(of parquet.Node) format.LogicalTypeValue {
	if logical := of.Type().LogicalType(); logical != nil {
		return logical.Value
	}
	return nil
}

func scalar(value reflect.Value, of parquet.Node) any {
	logical := logicalOf(of)
	decimal, isDecimal := logical.(*format.DecimalType)
	switch given := value.Interface().(type) {
	case bool:
		return given
	case string:
		if _, isText := logical.(*format.StringType); isText {
			return given
		}
		return base64.StdEncoding.EncodeToString([]byte(given))
	case []byte: // a text in a map
		return string(given)
	case *big.Float:
		return given.Text('f', int(decimal.Scale))
	case float32:
		if isDecimal {
			return strconv.FormatFloat(float64(given), 'f', int(decimal.Scale), 32)
		}
		return float(float64(given), 32)
	case float64:
		if isDecimal {
			return strconv.FormatFloat(given, 'f', int(decimal.Scale), 64)
		}
		return float(given, 64)
	case int64:
		return long(given, logical)
	case int32:
		if _, isDate := logical.(*format.DateType); isDate {
			return iso(time.Unix(int64(given)*86400, 0).UTC(), "-01-02")
		}
	}
	return fmt.Sprint(value.Interface())
}

func long(given int64, logical format.LogicalTypeValue) string {
	switch of := logical.(type) {
	case *format.TimeType:
		return time.UnixMicro(given).UTC().Format("15:04:05.999999")
	case *format.TimestampType:
		at := time.UnixMicro(given)
		switch of.Unit.Value.(type) {
		case *format.MilliSeconds:
			at = time.UnixMilli(given)
		case *format.NanoSeconds:
			at = time.Unix(0, given)
		}
		text := iso(at.UTC(), "-01-02T15:04:05.999999999")
		if of.IsAdjustedToUTC {
			text += "Z"
		}
		return text
	case *format.IntType:
		if !of.IsSigned {
			return strconv.FormatUint(uint64(given), 10)
		}
	}
	return strconv.FormatInt(given, 10)
}

func float(value float64, bits int) string {
	if math.IsInf(value, 0) {
		return strings.TrimPrefix(fmt.Sprintf("%+f", value), "+") + "inity"
	}
	return strconv.FormatFloat(value, 'g', -1, bits)
}

// iso writes years outside 0 to 9999 with a sign and six digits.
func iso(at time.Time, rest string) string {
	if at.Year() < 0 || at.Year() > 9999 {
		return fmt.Sprintf("%+07d", at.Year()) + at.Format(rest)
	}
	return fmt.Sprintf("%04d", at.Year()) + at.Format(rest)
}
