package ctmc

// Message is a kind of message between dispatchers and servers. A job sent to
// its server is none.
type Message int

// Kinds of messages.
const (
	Query        Message = iota // a dispatcher asks a server for its state
	Reply                       // the answer to a query
	Pull                        // a server says by itself that it is idle or nearly so
	Update                      // any other message
	MessageKinds                // how many kinds there are
)

func (m Message) String() string { return [...]string{"query", "reply", "pull", "update"}[m] }
